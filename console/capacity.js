// capacity.js: beside the heat map: what is consumed against what may be, the burst pool, and who refused.
import { drawSmallCurve } from './canvas.js';
import { fill, h, setAttribute, setText } from './dom.js';
import { count, units } from './format.js';

const KEPT = 120;

function meter(label) {
  const text = h('span', { class: 'meter-text' });
  const part = h('span', { class: 'meter-part' });
  const element = h(
    'div',
    { class: 'meter' },
    h('span', { class: 'meter-label' }, label),
    text,
    h('span', { class: 'meter-bar', 'aria-hidden': 'true' }, part),
  );
  return {
    element,
    set(value, most, words) {
      const share = most > 0 ? Math.min(1, Math.max(0, value / most)) : 0;
      part.style.width = `${share * 100}%`;
      setText(text, words);
      return share;
    },
    warn(isHot) {
      setAttribute(element, 'data-hot', isHot);
    },
  };
}

/** One direction: now against the throughput, the pool, and the hottest partition against its cap. */
function side(direction) {
  const consumed = meter('Consumed');
  const pool = meter('Burst pool');
  const hottest = meter('Hottest partition');
  const curve = h('canvas', { class: 'curve pool-curve', 'aria-hidden': 'true' });
  const samples = [];
  return {
    element: h(
      'div',
      { class: `side side-${direction}` },
      h('h3', {}, direction === 'read' ? 'Read' : 'Write'),
      consumed.element,
      pool.element,
      curve,
      hottest.element,
    ),
    set(bucket, partitions, isOnDemand) {
      const now = partitions.reduce((sum, each) => sum + each[direction].consumed_1s, 0);
      consumed.warn(
        consumed.set(
          now,
          bucket.rate,
          isOnDemand ? `${units(now)}/s, quota ${units(bucket.rate)}` : `${units(now)} of ${units(bucket.rate)}/s`,
        ) >= 1,
      );
      const debt = bucket.balance < 0 ? ' (debt)' : '';
      setText(pool.element.querySelector('.meter-label'), isOnDemand ? 'Quota left' : 'Burst pool');
      pool.warn(
        pool.set(bucket.balance, bucket.ceiling, `${units(bucket.balance)} of ${units(bucket.ceiling)}${debt}`) <= 0,
      );
      const most = partitions.reduce(
        (best, each) => (each[direction].consumed_1s > best[direction].consumed_1s ? each : best),
        partitions[0],
      );
      const used = most[direction].consumed_1s;
      hottest.warn(
        hottest.set(
          used,
          most[direction].cap,
          used > 0
            ? `${most.id}: ${units(used)} of ${units(most[direction].cap)}/s`
            : `idle, ${units(most[direction].cap)}/s each`,
        ) > 0.8,
      );
      samples.push({ at: Date.now(), balance: Math.max(0, bucket.balance) });
      if (samples.length > KEPT) samples.shift();
      drawSmallCurve(curve, samples, direction, 'balance');
    },
  };
}

/** The reasons of throttles that the counts of buckets and partitions stand for. */
function reasons(bucket, partitions, index, isOnDemand) {
  const what = index === null ? 'Table' : 'Index';
  const rows = [];
  for (const direction of ['read', 'write']) {
    const way = direction === 'read' ? 'Read' : 'Write';
    const keyRange = partitions.reduce((sum, each) => sum + each[direction].throttled, 0);
    rows.push([`${what}${way}KeyRangeThroughputExceeded`, keyRange]);
    rows.push([
      isOnDemand ? `${what}${way}: on-demand maximum or account quota` : `${what}${way}ProvisionedThroughputExceeded`,
      bucket[direction].throttled,
    ]);
  }
  return rows;
}

export function capacityPanel() {
  const read = side('read');
  const write = side('write');
  const body = h('tbody');
  const made = new Map();
  const table = h(
    'table',
    { class: 'plain reasons' },
    h('caption', { class: 'hidden' }, 'Throttled requests by reason'),
    h(
      'thead',
      {},
      h(
        'tr',
        {},
        h('th', { scope: 'col' }, 'Throttled because of'),
        h('th', { scope: 'col', class: 'end' }, 'Requests'),
      ),
    ),
    body,
  );
  return {
    element: h('div', {}, write.element, read.element, table),
    set(bucket, partitions, isOnDemand) {
      read.set(bucket.read, partitions, isOnDemand);
      write.set(bucket.write, partitions, isOnDemand);
      const rows = reasons(bucket, partitions, bucket.index, isOnDemand);
      if (rows.some(([name]) => !made.has(name))) {
        made.clear();
        fill(body);
        for (const [name] of rows) {
          const cell = h('td', { class: 'end' });
          made.set(name, cell);
          body.append(h('tr', {}, h('th', { scope: 'row' }, name), cell));
        }
      }
      for (const [name, number] of rows) {
        setText(made.get(name), count(number));
        setAttribute(made.get(name), 'class', number > 0 ? 'end bad' : 'end muted');
      }
    },
  };
}
