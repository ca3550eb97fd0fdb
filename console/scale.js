// scale.js: the colours of heat, computed in OKLCH so that equal steps of heat look like equal steps: lightness changes
// steadily, the hue wanders from violet over red to yellow. On a light page little heat is pale, on a dark one dark.

const STEPS = 256;

function oklch(lightness, chroma, degrees) {
  const a = chroma * Math.cos((degrees * Math.PI) / 180);
  const b = chroma * Math.sin((degrees * Math.PI) / 180);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}

const isShown = (linear) => linear.every((part) => part >= -1e-4 && part <= 1.0001);
const encode = (part) => {
  const value = Math.min(1, Math.max(0, part));
  return Math.round(255 * (value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055));
};

/** The colour, with as much of the chroma as a screen can show. */
function colour(lightness, chroma, degrees) {
  let linear = oklch(lightness, chroma, degrees);
  for (let part = chroma; !isShown(linear) && part > 0; part -= 0.004) linear = oklch(lightness, part, degrees);
  return linear.map(encode);
}

function ramp(isDark) {
  const table = new Uint8ClampedArray(STEPS * 3);
  for (let i = 0; i < STEPS; i += 1) {
    const t = i / (STEPS - 1);
    const chroma = 0.09 + 0.12 * Math.sin(Math.PI * t);
    table.set(
      isDark
        ? colour(0.27 + 0.67 * t, chroma, 292 + 172 * t)
        : colour(0.93 - 0.63 * t, 0.06 + 0.13 * Math.sin(Math.PI * (0.1 + 0.8 * t)), 98 - 166 * t),
      i * 3,
    );
  }
  return table;
}

const ramps = new Map();

/** The table of colours, three bytes each, from nearly nothing to the most. */
export function heatRamp(isDark) {
  if (!ramps.has(isDark)) ramps.set(isDark, ramp(isDark));
  return ramps.get(isDark);
}

/** Where a value stands in the table: by its root, so that little traffic beside a hot key is seen all the same. */
export const step = (value, max) =>
  max <= 0 ? 0 : Math.min(STEPS - 1, Math.round(Math.sqrt(value / max) * (STEPS - 1)));

export function heatColour(value, max, isDark) {
  const table = heatRamp(isDark);
  const at = step(value, max) * 3;
  return `rgb(${table[at]} ${table[at + 1]} ${table[at + 2]})`;
}

/** The page's own colours, as canvases need them: resolved for the theme in force. */
export function tokens() {
  const probe = document.createElement('span');
  probe.hidden = true;
  document.body.append(probe);
  const found = { isDark: isDark() };
  for (const name of ['text', 'muted', 'line', 'panel', 'sunk', 'read', 'write', 'throttle', 'accent']) {
    probe.style.color = `var(--${name})`;
    found[name] = getComputedStyle(probe).color;
  }
  probe.remove();
  return found;
}

export function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
}

let known = null;

/** tokens(), worked out once for each theme. */
export function palette() {
  if (known === null) known = tokens();
  return known;
}

const redraws = new Set();

/** Calls back when the theme changes; answers how to stop that. */
export function whenThemed(redraw) {
  redraws.add(redraw);
  return () => redraws.delete(redraw);
}

export function themeChanged() {
  known = null;
  for (const redraw of redraws) redraw();
}
