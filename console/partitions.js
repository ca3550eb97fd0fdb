// partitions.js: the partitions of a table or index: range, contents, heat, balance, and what becomes of them.
import { curlButton } from './api.js';
import { h, setAttribute, setText } from './dom.js';
import { bytes, count, key, range, time, units } from './format.js';
import { List, textCell } from './list.js';

function heatCell(direction) {
  const part = h('span', { class: 'meter-part' });
  const text = h('span', { class: 'meter-text' });
  return {
    element: h(
      'div',
      { class: `heat-cell heat-${direction}` },
      h('span', { class: 'meter-bar', 'aria-hidden': 'true' }, part),
      text,
    ),
    update(partition) {
      const { consumed_1s: used, cap } = partition[direction];
      part.style.width = `${Math.min(100, (used / cap) * 100)}%`;
      setText(text, units(used));
      setAttribute(part, 'data-hot', used / cap > 0.8);
    },
  };
}

/** A split under way, why there is none, or where the partition came from. */
function storyOf(partition) {
  const { state, veto, done_at: doneAt, cause } = partition.split;
  if (state !== 'none') return `splits at ${time(doneAt)} (${cause})`;
  if (veto) return `not split: ${veto}`;
  return partition.parent ? `from ${partition.parent}, ${time(partition.created)}` : '';
}

/** The ends of its range in full; inside an item collection also the sort keys. */
function rangeOf({ hash_from: from, hash_to: to, sort_from: sortFrom, sort_to: sortTo }) {
  const sort =
    sortFrom || sortTo
      ? `, sort keys ${sortFrom ? key({ sortFrom }) : 'first'} to ${sortTo ? key({ sortTo }) : 'last'}`
      : '';
  return `${from} to ${to}${sort}`;
}

/** onsplit(partition) and splitRequest(partition): what the row's button does, and what is copied. */
function makeRow(onsplit, splitRequest) {
  let shown = null;
  const id = textCell('mono');
  const where = textCell('mono muted');
  const items = textCell('hide-narrow');
  const size = textCell('hide-narrow');
  const write = heatCell('write');
  const read = heatCell('read');
  const balance = textCell('muted');
  const throttled = textCell();
  const story = textCell('story');
  const split = h('button', { type: 'button', onclick: () => onsplit(shown) }, 'Split');
  const copy = curlButton(() => splitRequest(shown), 'split');
  const cells = [
    id,
    where,
    items,
    size,
    write.element,
    read.element,
    balance,
    throttled,
    story,
    h('div', { class: 'cell-action' }, h('span', { class: 'action' }, split, copy)),
  ];
  return {
    cells,
    update(partition) {
      id.say(partition.id);
      where.say(range(partition.hash_from, partition.hash_to));
      setAttribute(where, 'title', rangeOf(partition));
      shown = partition;
      setAttribute(split, 'aria-label', `Split ${partition.id}`);
      setAttribute(copy, 'aria-label', `Copy as curl: split ${partition.id}`);
      items.say(count(partition.items));
      size.say(bytes(partition.bytes));
      write.update(partition);
      read.update(partition);
      balance.say(`${units(partition.write.balance)} w · ${units(partition.read.balance)} r`);
      const total = partition.read.throttled + partition.write.throttled;
      throttled.say(count(total));
      setAttribute(throttled, 'class', total > 0 ? 'end bad' : 'end muted');
      story.say(storyOf(partition));
      setAttribute(story, 'title', storyOf(partition));
    },
  };
}

export function partitionList(onsplit, splitRequest) {
  return new List({
    label: 'Partitions',
    name: 'list-partitions',
    makeRow: () => makeRow(onsplit, splitRequest),
    keyOf: (partition) => partition.id,
    height: (isNarrow) => (isNarrow ? 124 : 38),
    empty: 'No partitions.',
    columns: [
      { label: 'Partition', sort: (each) => Number(each.id.slice(2)) },
      { label: 'Hashes', sort: (each) => each.hash_from },
      { label: 'Items', end: true, sort: (each) => each.items },
      { label: 'Size', end: true, sort: (each) => each.bytes },
      { label: 'Write/s', number: true, sort: (each) => each.write.consumed_1s },
      { label: 'Read/s', number: true, sort: (each) => each.read.consumed_1s },
      { label: 'Balance', end: true, sort: (each) => each.write.balance },
      { label: 'Throttled', end: true, sort: (each) => each.read.throttled + each.write.throttled },
      { label: 'Splits', sort: storyOf },
      { label: 'Split now' },
    ],
  });
}
