// legend.js: what stands beside the heat map: what its colours mean, and the same figures as a table.
import { prepare } from './canvas.js';
import { h, setText } from './dom.js';
import { time, units } from './format.js';
import { heatRamp, palette } from './scale.js';

/** The legend: what the colours stand for, by the greatest cell in sight, a second. */
export function legend() {
  const canvas = h('canvas', { class: 'legend-ramp', 'aria-hidden': 'true' });
  const low = h('span', {}, '0');
  const middle = h('span');
  const high = h('span');
  const element = h('div', { class: 'legend' }, canvas, h('div', { class: 'legend-marks' }, low, middle, high));
  return {
    element,
    set(max, columnMs, metric) {
      const { context, width, height } = prepare(canvas);
      const ramp = heatRamp(palette().isDark);
      for (let x = 0; x < width; x += 1) {
        const at = Math.floor((x / width) * 255) * 3;
        context.fillStyle = `rgb(${ramp[at]} ${ramp[at + 1]} ${ramp[at + 2]})`;
        context.fillRect(x, 0, 1, height);
      }
      const rate = max / (columnMs / 1000);
      setText(middle, units(rate / 4));
      setText(high, `${units(rate)} ${metric === 'throttle' ? 'requests/s' : 'units/s'}`);
    },
  };
}

const TABLE_ROWS = 16;
const TABLE_COLUMNS = 8;

/** The same figures as a table of at most 16 × 8 sums, for those who do not see the picture. */
export function heatTable(map) {
  const columns = map.cells[0].length;
  const rowStep = Math.ceil(map.rows.length / TABLE_ROWS);
  const columnStep = Math.max(1, Math.ceil(columns / TABLE_COLUMNS));
  const starts = [];
  for (let column = 0; column < columns; column += columnStep) starts.push(column);
  const lines = [];
  for (let row = 0; row < map.rows.length; row += rowStep) {
    const last = Math.min(map.rows.length, row + rowStep) - 1;
    lines.push(
      h(
        'tr',
        {},
        h('th', { scope: 'row' }, `${map.rows[row].hash_from.slice(0, 4)}–${map.rows[last].hash_to.slice(0, 4)}`),
        starts.map((start) => {
          let sum = 0;
          for (let r = row; r <= last; r += 1)
            for (let c = start; c < Math.min(columns, start + columnStep); c += 1) sum += map.cells[r][c];
          return h('td', {}, units(sum));
        }),
      ),
    );
  }
  const what =
    map.metric === 'throttle' ? 'Requests throttled' : `${map.metric === 'read' ? 'Read' : 'Write'} units consumed`;
  return h(
    'table',
    { class: 'plain' },
    h('caption', {}, `${what}, by range of hashes and from the time named on`),
    h(
      'thead',
      {},
      h(
        'tr',
        {},
        h('th', { scope: 'col' }, 'Hashes'),
        starts.map((start) => h('th', { scope: 'col' }, time(map.from + start * map.column_ms))),
      ),
    ),
    h('tbody', {}, lines),
  );
}
