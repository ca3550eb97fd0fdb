// heatmap.js: time across, key space down: where a table was used or throttled, and when. Partitions are drawn over it
// from the moment at which they came to be, so that a split is a line that begins. Drag, or the keys, to look closer.
import { prepare, whenResized } from './canvas.js';
import { h, setAttribute } from './dom.js';
import { hashOf, minute, place, time } from './format.js';
import { heatColour, heatRamp, palette, step, whenThemed } from './scale.js';

export const GUTTER = { left: 58, right: 10, top: 6, bottom: 22 };
const STRIP = 7; // the partitions, beside the map
const LINE_GAP_MIN = 5; // partitions closer than so many pixels are not parted by lines
const DRAG_MIN = 6;

const STEPS_MS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600].map((s) => s * 1000);

/** Ticks of a time axis of so many pixels: [{at, x, label}]. */
export function timeTicks(from, to, width) {
  const wanted = Math.max(2, Math.floor(width / 110));
  const every = STEPS_MS.find((each) => (to - from) / each <= wanted) ?? STEPS_MS.at(-1);
  const ticks = [];
  for (let at = Math.ceil(from / every) * every; at <= to; at += every) {
    ticks.push({ x: ((at - from) / (to - from)) * width, label: every < 60000 ? time(at) : minute(at) });
  }
  return ticks;
}

/**
 * Tells each partition since when it is parted from the one before it, and whether by a split. Halves are numbered in
 * pairs, the lower one first, and those of the latest split are there: so a number tells which half a partition was.
 * An upper half was cut off at its lower end, a lower one at its upper end; any other end is older than both sides.
 */
export function dateBoundaries(partitions) {
  const number = ({ id }) => Number(id.slice(2));
  const latest = Math.max(0, ...partitions.filter((each) => each.parent !== null).map(number));
  const isHalf = (each, which) => each.parent !== null && (latest - number(each)) % 2 === which;
  partitions.forEach((each, at) => {
    const before = partitions[at - 1];
    if (!before) return;
    const cut = isHalf(each, 0) ? each : isHalf(before, 1) ? before : null;
    const areFirst = each.parent === null && before.parent === null;
    each.since = cut?.created ?? (areFirst ? each.created : 0);
    each.wasSplit = cut !== null;
  });
}

export class HeatMap {
  /** onzoom({from, to} or null, {low, high}): the reader wants another window; oncursor(cell or null). */
  constructor({ onzoom, oncursor }) {
    Object.assign(this, { onzoom, oncursor });
    this.keys = { low: 0, high: 1 };
    this.cursor = null;
    this.selection = null;
    this.canvas = h('canvas', { class: 'heat-canvas', 'aria-hidden': 'true' });
    this.element = h(
      'div',
      {
        class: 'heat',
        tabindex: '0',
        role: 'application',
        'aria-roledescription': 'heat map',
        'aria-label': 'Heat map',
        'aria-describedby': 'heat-keys',
        onkeydown: (event) => this.press(event),
        onfocus: () => this.focus(),
        onblur: () => this.point(null),
      },
      this.canvas,
    );
    this.canvas.addEventListener('pointermove', (event) => this.move(event));
    this.canvas.addEventListener('pointerleave', () => {
      if (!this.drag) this.point(null);
    });
    this.canvas.addEventListener('pointerdown', (event) => this.down(event));
    this.canvas.addEventListener('pointerup', (event) => this.up(event));
    this.canvas.addEventListener('dblclick', () => this.reset());
    this.image = document.createElement('canvas');
    const stops = [
      whenResized(this.element, () => this.draw()),
      whenThemed(() => {
        this.paint();
        this.draw();
      }),
    ];
    this.stop = () => stops.forEach((each) => each());
  }

  /** A new answer of GET heatmap, with the partitions of the same resource and the hottest keys. */
  set(map, partitions, hotKeys) {
    const isMoved = this.map && this.cursor && this.map.from !== map.from && this.map.column_ms === map.column_ms;
    if (isMoved && this.isPinned) this.cursor.column -= Math.round((map.from - this.map.from) / map.column_ms);
    Object.assign(this, { map, partitions, hotKeys });
    this.columns = map.cells[0]?.length ?? 0;
    if (this.cursor) this.cursor = this.clamped(this.cursor);
    const [first, last] = this.visibleRows();
    this.max = 0;
    for (let row = first; row < last; row += 1)
      for (const value of map.cells[row]) if (value > this.max) this.max = value;
    this.paint();
    this.draw();
    setAttribute(this.element, 'aria-label', this.describe());
    if (this.cursor) this.oncursor(this.cell(this.cursor));
  }

  describe() {
    const { metric, from, to } = this.map;
    const what = metric === 'throttle' ? 'throttled requests' : `${metric} units`;
    const keys = `${hashOf(this.keys.low)} to ${hashOf(this.keys.high - 1e-9)}`;
    return `Heat map of ${what}, ${time(from)} to ${time(to)}, key space ${keys}`;
  }

  visibleRows() {
    const rows = this.map.rows.length;
    return [
      Math.floor(this.keys.low * rows),
      Math.max(Math.floor(this.keys.low * rows) + 1, Math.ceil(this.keys.high * rows)),
    ];
  }

  plot() {
    const width = this.canvas.clientWidth - GUTTER.left - GUTTER.right;
    return { x: GUTTER.left, y: GUTTER.top, width, height: this.canvas.clientHeight - GUTTER.top - GUTTER.bottom };
  }

  /** One pixel a cell, into an image that draw() stretches. */
  paint() {
    if (!this.map || this.columns === 0) return;
    const rows = this.map.rows.length;
    this.image.width = this.columns;
    this.image.height = rows;
    const context = this.image.getContext('2d');
    const image = context.createImageData(this.columns, rows);
    const ramp = heatRamp(palette().isDark);
    for (let row = 0; row < rows; row += 1) {
      const line = this.map.cells[row];
      for (let column = 0; column < this.columns; column += 1) {
        if (line[column] <= 0) continue;
        const from = step(line[column], this.max) * 3;
        const to = (row * this.columns + column) * 4;
        image.data[to] = ramp[from];
        image.data[to + 1] = ramp[from + 1];
        image.data[to + 2] = ramp[from + 2];
        image.data[to + 3] = 255;
      }
    }
    context.putImageData(image, 0, 0);
  }

  draw() {
    if (!this.map || this.columns === 0 || this.canvas.clientWidth === 0) return;
    const { context } = prepare(this.canvas);
    const plot = this.plot();
    const colours = palette();
    const rows = this.map.rows.length;
    this.tell(plot);
    context.fillStyle = colours.sunk;
    context.fillRect(plot.x, plot.y, plot.width, plot.height);
    context.imageSmoothingEnabled = false;
    context.drawImage(
      this.image,
      0,
      this.keys.low * rows,
      this.columns,
      (this.keys.high - this.keys.low) * rows,
      plot.x,
      plot.y,
      plot.width,
      plot.height,
    );
    this.drawAxes(context, plot, colours);
    this.drawPartitions(context, plot, colours);
    this.drawHotKeys(context, plot, colours);
    if (this.selection) this.drawBox(context, plot, colours, this.selection, true);
    else if (this.cursor) this.drawBox(context, plot, colours, { a: this.cursor, b: this.cursor }, false);
  }

  /** What the picture was made of, for whoever looks at its pixels. */
  tell(plot) {
    const splits = this.partitions.filter(
      (each) => each.parent !== null && each.created > this.map.from && each.created <= this.map.to,
    );
    Object.assign(this.canvas.dataset, {
      plot: JSON.stringify(plot),
      columns: this.columns,
      max: this.max,
      metric: this.map.metric,
      to: this.map.to,
      splits: new Set(splits.map((each) => each.parent)).size,
    });
  }

  y(fraction, plot) {
    return plot.y + ((fraction - this.keys.low) / (this.keys.high - this.keys.low)) * plot.height;
  }

  drawAxes(context, plot, colours) {
    context.font = '11px ui-monospace, Menlo, Consolas, monospace';
    context.fillStyle = colours.muted;
    context.textBaseline = 'middle';
    context.textAlign = 'right';
    for (let i = 0; i <= 4; i += 1) {
      const fraction = this.keys.low + ((this.keys.high - this.keys.low) * i) / 4;
      const y = Math.min(plot.y + plot.height - 5, Math.max(plot.y + 5, this.y(fraction, plot)));
      context.fillText(hashOf(fraction), plot.x - STRIP - 8, y);
    }
    context.textBaseline = 'alphabetic';
    context.textAlign = 'center';
    for (const tick of timeTicks(this.map.from, this.map.to, plot.width)) {
      const x = plot.x + tick.x;
      context.fillRect(Math.round(x), plot.y + plot.height, 1, 4);
      if (tick.x > 24 && tick.x < plot.width - 24) context.fillText(tick.label, x, plot.y + plot.height + 16);
    }
  }

  /** The strip beside the map, as hot as each partition is now, and a line where two meet, since they do. */
  drawPartitions(context, plot, colours) {
    const direction = this.map.metric === 'read' ? 'read' : 'write';
    const shown = this.partitions.filter((each) => each.high > this.keys.low && each.low < this.keys.high);
    const hasLines = plot.height / Math.max(1, shown.length) >= LINE_GAP_MIN;
    shown.forEach((each, at) => {
      const top = Math.max(plot.y, this.y(each.low, plot));
      const bottom = Math.min(plot.y + plot.height, this.y(each.high, plot));
      const heat = each[direction].consumed_1s / each[direction].cap;
      context.fillStyle = heat > 0 ? heatColour(Math.min(1, heat), 1, colours.isDark) : colours.line;
      context.fillRect(plot.x - STRIP - 3, top, STRIP, Math.max(1, bottom - top - (hasLines ? 1 : 0)));
      const before = shown[at - 1];
      if (each.split.state !== 'none' && bottom - top > 3) {
        /* a split under way: a notch in the strip */
        context.fillStyle = colours.text;
        context.fillRect(plot.x - STRIP - 3, Math.round((top + bottom) / 2) - 1, STRIP, 2);
      }
      if (!hasLines || !before || each.low === before.low || each.since > this.map.to) return;
      this.drawBoundary(context, plot, colours, top, each);
    });
  }

  /** A line from where two partitions were parted; a dot where that was a split that one can see. */
  drawBoundary(context, plot, colours, top, { since, wasSplit }) {
    const { from, to } = this.map;
    const x = plot.x + (Math.max(0, since - from) / (to - from)) * plot.width;
    const isSeen = wasSplit && since > from;
    context.fillStyle = colours.text;
    context.globalAlpha = isSeen ? 0.75 : 0.25;
    context.fillRect(x, Math.round(top) - 0.5, plot.x + plot.width - x, 1);
    context.globalAlpha = 1;
    if (!isSeen) return;
    context.beginPath();
    context.arc(x, top, 3, 0, 2 * Math.PI);
    context.fill();
  }

  /** Small marks at the right edge: where the hottest keys lie. */
  drawHotKeys(context, plot, colours) {
    context.fillStyle = colours.throttle;
    for (const key of (this.hotKeys ?? []).slice(0, 3)) {
      const fraction = place(key.hash);
      if (fraction < this.keys.low || fraction >= this.keys.high) continue;
      const y = this.y(fraction, plot);
      const x = plot.x + plot.width + 2;
      context.beginPath();
      context.moveTo(x, y);
      context.lineTo(x + 6, y - 4);
      context.lineTo(x + 6, y + 4);
      context.fill();
    }
  }

  drawBox(context, plot, colours, { a, b }, isFilled) {
    const rows = this.map.rows.length;
    const left = plot.x + (Math.min(a.column, b.column) / this.columns) * plot.width;
    const right = plot.x + ((Math.max(a.column, b.column) + 1) / this.columns) * plot.width;
    const top = Math.max(plot.y, this.y(Math.min(a.row, b.row) / rows, plot));
    const bottom = Math.min(plot.y + plot.height, this.y((Math.max(a.row, b.row) + 1) / rows, plot));
    if (isFilled) {
      context.fillStyle = colours.accent;
      context.globalAlpha = 0.18;
      context.fillRect(left, top, right - left, bottom - top);
      context.globalAlpha = 1;
    }
    context.lineWidth = 3;
    context.strokeStyle = colours.panel;
    context.strokeRect(left - 0.5, top - 0.5, right - left + 1, bottom - top + 1);
    context.lineWidth = 1.5;
    context.strokeStyle = colours.text;
    context.strokeRect(left - 0.5, top - 0.5, right - left + 1, bottom - top + 1);
  }

  /** The cell under a pointer. */
  cellAt(event) {
    const plot = this.plot();
    const x = (event.offsetX - plot.x) / plot.width;
    const y = this.keys.low + ((event.offsetY - plot.y) / plot.height) * (this.keys.high - this.keys.low);
    return this.clamped({ column: Math.floor(x * this.columns), row: Math.floor(y * this.map.rows.length) });
  }

  clamped({ column, row }) {
    const [first, last] = this.visibleRows();
    return { column: Math.min(this.columns - 1, Math.max(0, column)), row: Math.min(last - 1, Math.max(first, row)) };
  }

  /** What a cell says: its slice of time and of keys, and its figure. */
  cell({ column, row }) {
    const { map } = this;
    const from = map.from + column * map.column_ms;
    return {
      column,
      row,
      from,
      to: from + map.column_ms,
      value: map.cells[row][column],
      ...map.rows[row],
      low: row / map.rows.length,
      high: (row + 1) / map.rows.length,
    };
  }

  point(cursor) {
    this.cursor = cursor;
    this.draw();
    this.oncursor(cursor && this.map ? this.cell(cursor) : null);
  }

  move(event) {
    if (!this.map || this.columns === 0) return;
    this.isPinned = false;
    const cursor = this.cellAt(event);
    if (this.drag) {
      this.selection = { a: this.drag.cell, b: cursor };
      this.draw();
    } else {
      this.point(cursor);
    }
  }

  down(event) {
    if (!this.map || this.columns === 0) return;
    if (event.pointerType === 'touch') {
      this.point(this.cellAt(event));
    } else if (event.button === 0) {
      this.drag = { cell: this.cellAt(event), x: event.offsetX, y: event.offsetY };
      this.canvas.setPointerCapture(event.pointerId);
    }
  }

  up(event) {
    const { drag, selection } = this;
    this.drag = null;
    this.selection = null;
    if (!drag || !selection) return;
    const isWide = Math.abs(event.offsetX - drag.x) >= DRAG_MIN;
    const isHigh = Math.abs(event.offsetY - drag.y) >= DRAG_MIN;
    if (isWide || isHigh) this.zoomTo(selection, isWide, isHigh);
    else this.draw();
  }

  focus() {
    if (!this.map || this.cursor || this.columns === 0 || !this.element.matches(':focus-visible')) return;
    let best = { column: this.columns - 1, row: this.visibleRows()[0] };
    for (let row = this.visibleRows()[0]; row < this.visibleRows()[1]; row += 1) {
      const value = this.map.cells[row][this.columns - 2] ?? 0;
      if (value > (this.map.cells[best.row][this.columns - 2] ?? 0)) best = { column: this.columns - 2, row };
    }
    this.isPinned = true;
    this.point(best);
  }

  press(event) {
    if (!this.map || this.columns === 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    const moves = {
      ArrowLeft: [-1, 0],
      ArrowRight: [1, 0],
      ArrowUp: [0, -1],
      ArrowDown: [0, 1],
      PageUp: [0, -8],
      PageDown: [0, 8],
      Home: [-this.columns, 0],
      End: [this.columns, 0],
    };
    const actions = {
      '+': () => this.nearer(),
      '=': () => this.nearer(),
      '-': () => this.farther(),
      0: () => this.reset(),
      Escape: () => this.escape(),
      Enter: () => this.enter(),
    };
    const move = moves[event.key];
    if (!move && !actions[event.key]) return;
    event.preventDefault();
    if (!move) {
      actions[event.key]();
      return;
    }
    const at = this.cursor ?? this.clamped({ column: this.columns - 1, row: 0 });
    const next = this.clamped({ column: at.column + move[0], row: at.row + move[1] });
    this.isPinned = true;
    this.selection = event.shiftKey ? { a: this.selection?.a ?? at, b: next } : null;
    this.point(next);
  }

  enter() {
    if (this.selection)
      this.zoomTo(
        this.selection,
        this.selection.a.column !== this.selection.b.column,
        this.selection.a.row !== this.selection.b.row,
      );
    else this.nearer();
    this.selection = null;
  }

  escape() {
    if (this.selection) {
      this.selection = null;
      this.draw();
    } else {
      this.reset();
    }
  }

  zoomTo({ a, b }, isTime, isKeys) {
    const rows = this.map.rows.length;
    const { from, column_ms: width } = this.map;
    const window = isTime
      ? { from: from + Math.min(a.column, b.column) * width, to: from + (Math.max(a.column, b.column) + 1) * width }
      : undefined;
    if (isKeys) this.keys = { low: Math.min(a.row, b.row) / rows, high: (Math.max(a.row, b.row) + 1) / rows };
    this.point(null);
    this.onzoom(window, this.keys);
  }

  /** Twice as near, or half, around the cursor, in time and keys. */
  nearer() {
    this.scale(0.5);
  }

  farther() {
    this.scale(2);
  }

  scale(factor) {
    const rows = this.map.rows.length;
    const { from, to, column_ms: width } = this.map;
    const centre = this.cursor ? from + (this.cursor.column + 0.5) * width : to;
    const height = Math.min(1, Math.max(2 / rows, (this.keys.high - this.keys.low) * factor));
    const middle = this.cursor ? (this.cursor.row + 0.5) / rows : (this.keys.low + this.keys.high) / 2;
    const low = Math.round(Math.min(1 - height, Math.max(0, middle - height / 2)) * rows) / rows;
    this.keys = { low, high: Math.min(1, low + Math.round(height * rows) / rows) };
    const span = Math.max(8000, (to - from) * factor);
    const begin = centre - ((centre - from) / (to - from)) * span;
    this.point(null);
    this.onzoom({ from: Math.round(begin), to: Math.round(begin + span) }, this.keys);
  }

  reset() {
    this.keys = { low: 0, high: 1 };
    this.selection = null;
    this.point(null);
    this.onzoom(null, this.keys);
  }
}
