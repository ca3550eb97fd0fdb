// poll.js: asking again and again without a storm. A job runs a second after it ended, later when it takes long (it may
// take a fortieth of the time, up to the longest wait), rarely while nobody looks, and ever more rarely while the server
// does not answer.

const HIDDEN_MS = 30000;
const WAIT_MS_MAX = 8000; /* of whoever looks: what is shown may be so old, on the slowest machine too */
const COST = 40;

const listeners = new Set();
let online = null;

/** Calls back with true or false whenever the server starts or stops answering. */
export function whenOnline(listener) {
  listeners.add(listener);
  if (online !== null) listener(online);
}

function setOnline(now) {
  if (online === now) return;
  online = now;
  for (const listener of listeners) listener(now);
}

/** Runs the job now and then about every `ms`. onerror gets what it throws but for a server that does not answer. */
export function every(ms, job, onerror = () => {}) {
  let timer = 0;
  let failures = 0;
  let stopped = false;
  let running = false;
  let wanted = false;

  async function run() {
    clearTimeout(timer);
    if (running) {
      wanted = true;
      return;
    }
    running = true;
    wanted = false;
    const start = performance.now();
    try {
      await job();
      failures = 0;
      setOnline(true);
    } catch (error) {
      failures += 1;
      if (error.status === 0) setOnline(false);
      else if (!stopped) onerror(error);
      if (error.status === undefined) console.error(error);
    }
    running = false;
    if (stopped) return;
    const took = performance.now() - start;
    const patience = failures > 0 ? ms * 2 ** failures : took * COST - took;
    let wait = Math.max(ms, Math.min(patience, WAIT_MS_MAX));
    clearTimeout(timer);
    if (document.hidden) wait = Math.max(wait, HIDDEN_MS);
    timer = setTimeout(run, wanted ? 0 : wait);
  }

  const seen = () => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(run, HIDDEN_MS);
    else run();
  };
  document.addEventListener('visibilitychange', seen);
  run();
  return {
    now: run,
    stop() {
      stopped = true;
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', seen);
    },
  };
}
