// overview.js: all tables and global indexes in a list, with what they use this second.
import { control, path } from './api.js';
import { drawSmallCurve } from './canvas.js';
import { h, setAttribute, setText } from './dom.js';
import { bytes, count, evenness, units } from './format.js';
import { History } from './history.js';
import { List, textCell } from './list.js';
import { every } from './poll.js';
import { whenThemed } from './scale.js';

export function address(row, part = '') {
  const index = row.index ? `/indexes/${encodeURIComponent(row.index)}` : '';
  const scope = row.scope ? `?scope=${encodeURIComponent(row.scope)}` : '';
  return `#/tables/${encodeURIComponent(row.table)}${index}${part}${scope}`;
}

/** The answer's tables and their indexes as rows of one list. */
function rowsOf(answer) {
  const rows = [];
  for (const table of answer.tables) {
    rows.push({ ...table, key: `${table.scope}\n${table.table}`, index: null });
    for (const index of table.indexes) {
      rows.push({
        ...index,
        table: table.table,
        scope: table.scope,
        billing_mode: table.billing_mode,
        key: `${table.scope}\n${table.table}\n${index.index}`,
      });
    }
  }
  return rows;
}

/** Provisioned, or an on-demand maximum; an on-demand table without one has none to tell. */
const capacityOf = (row, direction) => (row[direction].rate > 0 ? ` / ${units(row[direction].rate)}` : '');

/** The evenness of the direction that is used more. */
function variationOf(row) {
  const direction =
    row.read.consumed_1s > row.write.consumed_1s || row.balance.write_cv === 0 ? 'read_cv' : 'write_cv';
  return row.balance[direction];
}

function usageCell(direction) {
  const curve = h('canvas', { class: 'curve', 'aria-hidden': 'true' });
  const used = h('b');
  const rate = h('span', { class: 'muted' });
  return {
    element: h('div', { class: `usage usage-${direction}` }, curve, h('span', { class: 'usage-text' }, used, rate)),
    update(row) {
      setText(used, units(row[direction].consumed_1s));
      setText(rate, capacityOf(row, direction));
      drawSmallCurve(curve, row.samples, direction, direction);
    },
  };
}

function makeRow() {
  const link = h('a', { class: 'name' });
  const owner = h('span', { class: 'muted owner' });
  const mode = textCell('muted hide-narrow');
  const items = textCell('hide-narrow');
  const size = textCell('hide-narrow');
  const partitions = textCell('hide-narrow');
  const read = usageCell('read');
  const write = usageCell('write');
  const refused = h('span');
  const even = h('span', { class: 'even' });
  const cells = [
    h('div', { class: 'cell-name' }, link, owner),
    mode,
    items,
    size,
    partitions,
    read.element,
    write.element,
    h('div', { class: 'cell-refused' }, refused),
    h('div', { class: 'cell-even' }, even),
  ];
  return {
    cells,
    update(row) {
      setText(link, row.index ?? row.table);
      setAttribute(link, 'href', address(row));
      setAttribute(link, 'class', row.index ? 'name is-index' : 'name');
      setAttribute(link, 'title', row.index ? `${row.index}, an index of ${row.table}` : row.table);
      setText(owner, row.index ? row.table : row.scope);
      mode.say(row.index ? 'index' : row.billing_mode === 'PROVISIONED' ? 'provisioned' : 'on-demand');
      items.say(count(row.items));
      size.say(bytes(row.bytes));
      partitions.say(count(row.partitions));
      read.update(row);
      write.update(row);
      const total = row.read.throttled + row.write.throttled;
      setAttribute(refused, 'class', row.throttledNow > 0 ? 'badge badge-problem' : 'muted');
      setText(
        refused,
        row.throttledNow > 0 ? `${units(row.throttledNow)}/s` : total > 0 ? `${count(total)} before` : '0',
      );
      const variation = variationOf(row);
      setText(even, variation > 0 ? `${evenness(variation)} ${variation.toFixed(2)}` : '–');
      setAttribute(even, 'data-word', variation > 0 ? evenness(variation) : 'none');
    },
  };
}

export function overview() {
  const history = new History();
  let rows = [];
  const filter = h('input', {
    type: 'search',
    placeholder: 'Filter by name',
    'aria-label': 'Filter tables by name',
    autocomplete: 'off',
    spellcheck: 'false',
    oninput: () => update(),
  });
  const summary = h('p', { class: 'summary', role: 'status' });
  const figures = h('dl', { class: 'figures' });
  const list = new List({
    label: 'Tables and global indexes',
    name: 'list-tables',
    makeRow,
    keyOf: (row) => row.key,
    height: (isNarrow) => (isNarrow ? 108 : 44),
    empty: 'There are no tables yet. Point an SDK or the AWS CLI at this address and create one.',
    columns: [
      { label: 'Table', sort: (row) => row.table.toLowerCase() + (row.index ?? '') },
      { label: 'Mode' },
      { label: 'Items', end: true, sort: (row) => row.items },
      { label: 'Size', end: true, sort: (row) => row.bytes },
      { label: 'Partitions', end: true, sort: (row) => row.partitions },
      { label: 'Read units/s', number: true, sort: (row) => row.read.consumed_1s },
      { label: 'Write units/s', number: true, sort: (row) => row.write.consumed_1s },
      {
        label: 'Throttled',
        end: true,
        sort: (row) => row.throttledNow * 1e9 + row.read.throttled + row.write.throttled,
      },
      { label: 'Evenness', end: true, sort: variationOf },
    ],
  });
  const figure = (label) => {
    const value = h('dd', {}, '–');
    figures.append(h('div', {}, h('dt', {}, label), value));
    return value;
  };
  const [tables, read, write, throttled] = ['Tables', 'Read units/s', 'Write units/s', 'Throttled/s'].map(figure);

  function update() {
    const wanted = filter.value.trim().toLowerCase();
    const found =
      wanted === ''
        ? rows
        : rows.filter((row) => row.table.toLowerCase().includes(wanted) || row.index?.toLowerCase().includes(wanted));
    list.set(found);
    setText(summary, wanted === '' ? '' : `${count(found.length)} of ${count(rows.length)}`);
  }

  const poll = every(1000, async () => {
    const answer = await control('GET', path('tables'));
    rows = rowsOf(answer);
    history.take(rows, Date.now());
    const sum = (of) => rows.reduce((total, row) => total + of(row), 0);
    setText(tables, count(answer.tables.length));
    setText(read, units(sum((row) => row.read.consumed_1s)));
    setText(write, units(sum((row) => row.write.consumed_1s)));
    setText(throttled, units(sum((row) => row.throttledNow)));
    setAttribute(throttled, 'class', sum((row) => row.throttledNow) > 0 ? 'bad' : '');
    update();
  });
  const unthemed = whenThemed(() => list.render());
  return {
    element: h(
      'div',
      { class: 'view' },
      h(
        'div',
        { class: 'view-head' },
        h('h1', {}, 'Tables'),
        figures,
        h('div', { class: 'view-tools' }, summary, filter),
      ),
      list.element,
    ),
    stop() {
      poll.stop();
      list.stop();
      unthemed();
    },
  };
}
