// clock.js: the server's clock as this page last heard of it.

let heard = null;

/** Takes an answer of GET clock. */
export function hearClock(clock) {
  heard = { ...clock, at: performance.now() };
}

/** The server's time now, in ms; null: not heard yet. Between two answers a real clock is taken to run on. */
export function serverNow() {
  if (heard === null) return null;
  return Math.round(heard.now + (heard.mode === 'real' ? (performance.now() - heard.at) * heard.rate : 0));
}
