// history.js: what the overview has seen of each table in the last minute. The server keeps no curve for every table;
// the page remembers the figures that it was told anyway, so the curves begin when one looks.

const KEPT = 62;

export class History {
  constructor() {
    this.rows = new Map();
    this.seen = 0;
  }

  /** Takes an answer of GET tables; `at` is the real time in ms. Fills `now` of each row: what is refused a second. */
  take(rows, at) {
    this.seen = at;
    for (const row of rows) {
      const known = this.rows.get(row.key) ?? { samples: [], throttled: null, at };
      const seconds = Math.max(0.2, (at - known.at) / 1000);
      const sample = { at, read: row.read.consumed_1s, write: row.write.consumed_1s };
      for (const direction of ['read', 'write']) {
        const before = known.throttled?.[direction] ?? row[direction].throttled;
        sample[`${direction}Throttled`] = Math.max(0, row[direction].throttled - before) / seconds;
      }
      known.samples.push(sample);
      if (known.samples.length > KEPT) known.samples.shift();
      known.throttled = { read: row.read.throttled, write: row.write.throttled };
      known.at = at;
      this.rows.set(row.key, known);
      row.samples = known.samples;
      row.throttledNow = sample.readThrottled + sample.writeThrottled;
    }
    for (const [key, known] of this.rows) if (known.at !== at) this.rows.delete(key);
  }
}
