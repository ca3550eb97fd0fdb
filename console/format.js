// format.js: numbers, sizes, times and key ranges as text.

const plain = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const fine = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });

/** 0, 2.5, 12, 1,234, 123k, 4.5M: at most five characters of digits. */
export function units(value) {
  const size = Math.abs(value);
  if (size >= 1e9) return `${fine.format(value / 1e9)}G`;
  if (size >= 1e6) return `${fine.format(value / 1e6)}M`;
  if (size >= 1e5) return `${plain.format(value / 1e3)}k`;
  return size >= 100 ? plain.format(value) : fine.format(value);
}

export const count = (value) => (value >= 1e7 ? units(value) : plain.format(value));

export function bytes(value) {
  const names = ['B', 'KB', 'MB', 'GB', 'TB'];
  let at = 0;
  while (value >= 1024 && at < names.length - 1) {
    value /= 1024;
    at += 1;
  }
  return `${at === 0 ? plain.format(value) : fine.format(value)} ${names[at]}`;
}

const two = (value) => String(value).padStart(2, '0');

/** 14:03:09, by the server's clock in the reader's time zone. */
export function time(ms) {
  const date = new Date(ms);
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

export function minute(ms) {
  const date = new Date(ms);
  return `${two(date.getHours())}:${two(date.getMinutes())}`;
}

export function moment(ms) {
  const date = new Date(ms);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${time(ms)}`;
}

export function span(ms) {
  if (ms < 1000) return `${plain.format(ms)} ms`;
  if (ms < 60000) return `${fine.format(ms / 1000)} s`;
  if (ms < 3600000) return `${fine.format(ms / 60000)} min`;
  return ms < 86400000 ? `${fine.format(ms / 3600000)} h` : `${fine.format(ms / 86400000)} d`;
}

const TWO_TO_64 = 2 ** 64;

/** Where a hash lies in the key space, 0 to 1. */
export const place = (hash) => parseInt(hash, 16) / TWO_TO_64;

/** "4000–7fff": the ends of a range of hashes, as far as they matter. */
export const range = (from, to) => `${from.slice(0, 4)}–${to.slice(0, 4)}`;

/** A place in the key space as the beginning of a hash: 0.25 → "4000". */
export const hashOf = (fraction) =>
  Math.min(0xffff, Math.floor(fraction * 0x10000))
    .toString(16)
    .padStart(4, '0');

/** {"pk":{"S":"a"}} → a; with a sort key: a / b. What is no text or number is shown as JSON. */
export function key(attributes) {
  if (attributes === null) return '(a key too long to keep)';
  return Object.values(attributes)
    .map((value) => value.S ?? value.N ?? JSON.stringify(value))
    .join(' / ');
}

/** A part of the whole: 31 %, 4.5 %, < 0.1 %. */
export function share(part) {
  return part < 0.001 ? '< 0.1 %' : `${(part * 100).toFixed(part < 0.1 ? 1 : 0)} %`;
}

/** How even something is, in a word; the measure is the standard deviation over the mean. */
export function evenness(variation) {
  if (variation < 0.25) return 'even';
  return variation < 0.75 ? 'fair' : variation < 1.25 ? 'uneven' : 'one-sided';
}
