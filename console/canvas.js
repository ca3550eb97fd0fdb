// canvas.js: a canvas that fits its place on the page and the screen's pixels, and small curves on it.
import { palette } from './scale.js';

/** Sizes the canvas to its box; answers {context, width, height} in CSS pixels, cleared. */
export function prepare(canvas) {
  const ratio = devicePixelRatio || 1;
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const context = canvas.getContext('2d');
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return { context, width, height };
}

/** Redraws when the box changes its size; answers how to stop that. */
export function whenResized(element, redraw) {
  const observer = new ResizeObserver(redraw);
  observer.observe(element);
  return () => observer.disconnect();
}

const SMALL_SECONDS = 60;

/** The last minute of a History as a curve with its area; marks where requests were refused. */
export function drawSmallCurve(canvas, samples, name, direction) {
  const { context, width, height } = prepare(canvas);
  const colours = palette();
  const last = samples.at(-1)?.at ?? 0;
  const x = (sample) => width - ((last - sample.at) / (SMALL_SECONDS * 1000)) * width;
  let max = 0;
  for (const sample of samples) max = Math.max(max, sample[direction]);
  context.fillStyle = colours.line;
  context.fillRect(0, height - 1, width, 1);
  if (max > 0 && samples.length > 1) {
    const y = (sample) => height - 1.5 - (sample[direction] / max) * (height - 4);
    context.beginPath();
    samples.forEach((sample, i) =>
      i === 0 ? context.moveTo(x(sample), y(sample)) : context.lineTo(x(sample), y(sample)),
    );
    context.strokeStyle = colours[name];
    context.lineWidth = 1.25;
    context.lineJoin = 'round';
    context.stroke();
    context.lineTo(width, height);
    context.lineTo(x(samples[0]), height);
    context.globalAlpha = 0.14;
    context.fillStyle = colours[name];
    context.fill();
    context.globalAlpha = 1;
  }
  context.fillStyle = colours.throttle;
  for (const sample of samples) {
    if (sample[`${direction}Throttled`] > 0) context.fillRect(Math.round(x(sample)) - 1, height - 3, 2, 3);
  }
}
