// table.js: one table or global index: its heat map, and beside it what explains the picture.
import { control, curlButton, path, perform } from './api.js';
import { capacityPanel } from './capacity.js';
import { ratesOf, UsageChart } from './chart.js';
import { hearClock, serverNow } from './clock.js';
import { choices, fill, h, say, setAttribute, setText } from './dom.js';
import {
  bytes,
  count,
  evenness,
  key as keyText,
  place,
  range,
  share,
  span as spanText,
  time,
  units,
} from './format.js';
import { dateBoundaries, HeatMap } from './heatmap.js';
import { adviceList, keyTable } from './keys.js';
import { heatTable, legend } from './legend.js';
import { address } from './overview.js';
import { partitionList } from './partitions.js';
import { every } from './poll.js';

// A little less than the server keeps of each width of column, so that the answer is as fine as it can be.
const SPANS = [
  [115000, '2 min'],
  [1770000, '30 min'],
  [14340000, '4 h'],
  [85800000, '24 h'],
];
const METRICS = [
  ['write', 'Write'],
  ['read', 'Read'],
  ['throttle', 'Throttled'],
];
const KEY_WINDOW_MAX = 3600000;

export function head(subject, part, indexes = []) {
  const table = { scope: subject.scope, table: subject.table, index: null };
  const link = (text, row, isHere, suffix = '') =>
    h('a', { href: address(row, suffix), 'aria-current': isHere ? 'page' : null }, text);
  return [
    h(
      'div',
      { class: 'crumbs' },
      h('a', { href: '#/' }, 'Tables'),
      h('span', { 'aria-hidden': 'true' }, '/'),
      h('h1', {}, subject.table, subject.index && h('span', { class: 'muted' }, ` / ${subject.index}`)),
    ),
    h(
      'nav',
      { class: 'tabs', 'aria-label': 'Parts of the table' },
      link('Heat', table, part === 'heat' && !subject.index),
      indexes.map((index) => link(`Index ${index}`, { ...table, index }, subject.index === index)),
      link('Items', table, part === 'items', '/items'),
    ),
  ];
}

/** What the cursor on the map stands on, in words. */
function readout() {
  const element = h('div', { class: 'readout' });
  const idle = 'Point at the map, or focus it and use the arrow keys.';
  element.set = (cell, map, partitions, keys, isPinned) => {
    setAttribute(element, 'aria-live', isPinned ? 'polite' : 'off');
    if (!cell) {
      fill(element, h('span', { class: 'muted' }, idle));
      return;
    }
    const here = partitions.filter((each) => each.high > cell.low && each.low < cell.high);
    const hot = keys.filter((each) => place(each.hash) >= cell.low && place(each.hash) < cell.high).slice(0, 3);
    const what = map.metric === 'throttle' ? 'throttled' : `${map.metric} units`;
    const seconds = map.column_ms / 1000;
    const pace = seconds === 1 ? '' : ` (${units(cell.value / seconds)}/s)`;
    const part = (label, text, name) =>
      h(
        'span',
        { class: 'readout-part' },
        label && h('span', { class: 'muted' }, label),
        h('b', { class: name }, text),
      );
    fill(
      element,
      part('', `${units(cell.value)} ${what}${pace}`),
      part('at', `${time(cell.from)} +${spanText(map.column_ms)}`),
      part('hashes', range(cell.hash_from, cell.hash_to), 'mono'),
      part(
        here.length > 1 ? `${here.length} partitions` : 'partition',
        here.length > 4 ? `${here[0].id} … ${here.at(-1).id}` : here.map((each) => each.id).join(', '),
        'mono',
      ),
      part(
        'hot keys here',
        hot.length === 0 ? 'none known' : hot.map((each) => `${keyText(each.key)} (${share(each.share)})`).join(', '),
      ),
    );
  };
  element.set(null);
  return element;
}

export function tableView(subject) {
  const state = {
    metric: 'write',
    span: SPANS[0][0],
    window: null,
    by: 'partition',
    partitions: [],
    keys: [],
    map: null,
  };
  const query = { table: subject.table, index: subject.index, scope: subject.scope };
  const header = h('div', { class: 'table-head' }, head(subject, 'heat'));
  const facts = h('p', { class: 'facts' });
  const trouble = h('p', { class: 'trouble', role: 'alert', hidden: true });
  const says = readout();
  const key = legend();
  const map = new HeatMap({
    onzoom: (window) => {
      state.window = window ?? state.window;
      if (window === null) state.window = null;
      setAttribute(live, 'data-live', state.window === null);
      spans.choose(state.window === null ? state.span : '');
      poll.now();
    },
    oncursor: (cell) => {
      says.set(cell, state.map, state.partitions, state.keys, map.isPinned);
      for (const chart of Object.values(charts)) chart.point(cell?.column ?? null);
    },
  });
  const charts = {
    write: new UsageChart('write', 'Write units a second'),
    read: new UsageChart('read', 'Read units a second'),
    throttle: new UsageChart('throttle', 'Throttled requests a second'),
  };
  const capacity = capacityPanel();
  const splitRequest = (partition) => ({
    method: 'POST',
    body: { id: partition.id, index: subject.index },
    url: path(`tables/${encodeURIComponent(subject.table)}/partitions/split`, { scope: subject.scope }),
  });
  const partitions = partitionList(async (partition) => {
    const answer = await perform(splitRequest(partition));
    if (answer) say(`${partition.id} is now ${answer.children.map((each) => each.id ?? each).join(' and ')}.`);
    poll.now();
  }, splitRequest);
  const keys = keyTable();
  const advice = adviceList();
  const asTable = h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Heat map as a table' });
  const details = h('details', { ontoggle: () => showTable() }, h('summary', {}, 'The heat map as a table'), asTable);
  const live = h('span', { class: 'follows', 'data-live': 'true' });
  const keysHead = h('h2', {}, 'Hottest keys');
  const spans = choices('Time shown', SPANS, state.span, (value) => {
    state.span = value;
    state.window = null;
    setAttribute(live, 'data-live', true);
    poll.now();
    keyPoll.now();
  });

  function showTable() {
    if (details.open && state.map) fill(asTable, heatTable(state.map));
  }

  function showPartitions(answer) {
    const own = answer.partitions.filter((each) => (each.index ?? undefined) === subject.index);
    for (const each of own) {
      each.low = place(each.hash_from);
      each.high = each.hash_to === 'ffffffffffffffff' ? 1 : place(each.hash_to);
    }
    dateBoundaries(own);
    state.partitions = own;
    const bucket = answer.buckets.find((each) => (each.index ?? undefined) === subject.index);
    const isOnDemand = answer.billing_mode !== 'PROVISIONED';
    capacity.set(bucket, own, isOnDemand);
    partitions.set(own);
    const indexes = answer.buckets.map((each) => each.index).filter(Boolean);
    if (indexes.join() !== state.indexes) {
      state.indexes = indexes.join();
      fill(header, head(subject, 'heat', indexes));
    }
    const sum = (member) => own.reduce((total, each) => total + each[member], 0);
    const even = subject.index ? null : Math.max(answer.balance.write_cv, answer.balance.read_cv);
    setText(
      facts,
      [
        isOnDemand ? 'on-demand' : 'provisioned',
        `${count(sum('items'))} items`,
        bytes(sum('bytes')),
        `${count(own.length)} partition${own.length === 1 ? '' : 's'}`,
        even && `${evenness(even)} in the last minute (variation ${even.toFixed(2)})`,
      ]
        .filter(Boolean)
        .join(' · '),
    );
    return bucket;
  }

  async function tick() {
    if (serverNow() === null) hearClock(await control('GET', path('clock')));
    const now = serverNow();
    const window = state.window ?? { from: Math.max(1, now - state.span) };
    const { metric } = state;
    const columns = map.canvas.clientWidth < 500 ? 120 : 240;
    const ask = (name, rows) => control('GET', path('heatmap', { ...query, metric: name, rows, columns, ...window }));
    const others = METRICS.map(([name]) => name).filter((name) => name !== metric);
    const [told, first, second, held] = await Promise.all([
      ask(metric),
      ask(others[0], 1),
      ask(others[1], 1),
      control('GET', path(`tables/${encodeURIComponent(subject.table)}/partitions`, { scope: subject.scope })),
    ]);
    if (metric !== state.metric) return;
    trouble.hidden = true;
    const bucket = showPartitions(held);
    state.map = told;
    map.set(told, state.partitions, state.keys);
    key.set(map.max, told.column_ms, metric);
    const isOnDemand = held.billing_mode !== 'PROVISIONED';
    for (const each of [told, first, second]) {
      charts[each.metric].set({
        rates: ratesOf(each),
        cursor: map.cursor?.column ?? null,
        limit: each.metric === 'throttle' || isOnDemand ? 0 : bucket[each.metric].rate,
      });
    }
    showTable();
    setText(live, state.window === null ? 'live' : `${time(told.from)} to ${time(told.to)}`);
  }

  const fail = (error) => {
    trouble.hidden = false;
    setText(trouble, error.message);
  };
  const poll = every(1000, tick, fail);
  const keyPoll = every(
    2000,
    async () => {
      const window = state.window ? state.window.to - state.window.from : state.span;
      const minutes = Math.min(KEY_WINDOW_MAX, Math.ceil(window / 60000) * 60000);
      const answer = await control(
        'GET',
        path('hotkeys', { ...query, metric: state.metric, by: state.by, limit: 100, window_ms: minutes }),
      );
      state.keys = answer.keys;
      keys.set(answer);
      setText(
        keysHead,
        `Hottest keys, ${METRICS.find(([name]) => name === state.metric)[1].toLowerCase()}, last ${spanText(minutes)}`,
      );
    },
    () => {},
  );
  const advicePoll = every(
    10000,
    async () => advice.set(await control('GET', path('advice', query))),
    () => {},
  );
  const refill = () => ({
    method: 'POST',
    url: path(`tables/${encodeURIComponent(subject.table)}/capacity/reset`, { scope: subject.scope }),
  });

  const mapCard = h(
    'section',
    { class: 'card map-card', 'aria-labelledby': 'map-title' },
    h(
      'div',
      { class: 'card-head' },
      h('h2', { id: 'map-title' }, 'Where and when'),
      live,
      choices('What is shown', METRICS, state.metric, (value) => {
        state.metric = value;
        poll.now();
        keyPoll.now();
      }),
      spans,
      h(
        'div',
        { class: 'choices', role: 'group', 'aria-label': 'Zoom' },
        h('button', { type: 'button', 'aria-label': 'Zoom in', onclick: () => map.nearer() }, '+'),
        h('button', { type: 'button', 'aria-label': 'Zoom out', onclick: () => map.farther() }, '−'),
        h('button', { type: 'button', onclick: () => map.reset() }, 'Reset'),
      ),
      key.element,
    ),
    trouble,
    map.element,
    says,
    h(
      'p',
      { class: 'hidden', id: 'heat-keys' },
      'Arrow keys move, with Shift they select, Enter or plus looks closer, minus farther, ' +
        '0 or Escape shows all. Time runs from left to right, hashes of keys from top to bottom.',
    ),
    Object.entries(charts).map(([name, chart]) =>
      h(
        'div',
        { class: 'chart-row' },
        h('h3', { class: `chart-title chart-title-${name}` }, chart.title),
        chart.element,
      ),
    ),
    details,
  );
  return {
    element: h(
      'div',
      { class: 'view' },
      header,
      facts,
      h(
        'div',
        { class: 'table-grid' },
        h(
          'div',
          {},
          mapCard,
          h(
            'section',
            { class: 'card' },
            h(
              'div',
              { class: 'card-head' },
              h('h2', {}, 'Advice'),
              h('span', { class: 'push' }),
              curlButton(() => ({ url: path('advice', query) }), 'advice'),
            ),
            advice.element,
          ),
        ),
        h(
          'div',
          { class: 'table-side' },
          h(
            'section',
            { class: 'card' },
            h(
              'div',
              { class: 'card-head' },
              h('h2', {}, 'Capacity'),
              h('span', { class: 'push' }),
              h(
                'span',
                { class: 'action' },
                h(
                  'button',
                  {
                    type: 'button',
                    onclick: async () => {
                      await perform(refill(), 'The buckets are full again.');
                      poll.now();
                    },
                  },
                  'Refill buckets',
                ),
                curlButton(refill, 'refill buckets'),
              ),
            ),
            capacity.element,
          ),
          h(
            'section',
            { class: 'card' },
            h(
              'div',
              { class: 'card-head' },
              keysHead,
              h('span', { class: 'push' }),
              choices(
                'Keys counted by',
                [
                  ['partition', 'Partition key'],
                  ['item', 'Whole key'],
                ],
                state.by,
                (value) => {
                  state.by = value;
                  keyPoll.now();
                },
              ),
            ),
            keys.element,
          ),
        ),
      ),
      h(
        'section',
        { class: 'card' },
        h(
          'div',
          { class: 'card-head' },
          h('h2', {}, 'Partitions'),
          h('span', { class: 'push' }),
          curlButton(
            () => ({ url: path(`tables/${subject.table}/partitions`, { scope: subject.scope }) }),
            'partitions',
          ),
        ),
        partitions.element,
      ),
    ),
    stop() {
      for (const each of [poll, keyPoll, advicePoll, map, partitions, ...Object.values(charts)]) each.stop();
    },
  };
}
