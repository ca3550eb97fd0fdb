// chart.js: units a second over the time of the heat map above, against what is provisioned; refused requests below.
import { prepare, whenResized } from './canvas.js';
import { h, setAttribute } from './dom.js';
import { units } from './format.js';
import { GUTTER } from './heatmap.js';
import { palette, whenThemed } from './scale.js';

/** The sums of a heat map's columns, a second. */
export function ratesOf(map) {
  const seconds = map.column_ms / 1000;
  const sums = new Array(map.cells[0].length).fill(0);
  for (const row of map.cells)
    row.forEach((value, column) => {
      sums[column] += value / seconds;
    });
  return sums;
}

export class UsageChart {
  /** name: 'read', 'write' or 'throttle', which is also its colour. */
  constructor(name, title) {
    Object.assign(this, { name, title });
    this.canvas = h('canvas', { class: 'chart-canvas', role: 'img', 'aria-label': title });
    this.element = h('div', { class: `chart chart-${name}` }, this.canvas);
    const stops = [whenResized(this.element, () => this.draw()), whenThemed(() => this.draw())];
    this.stop = () => stops.forEach((each) => each());
  }

  /** rates by column; limit: units a second that are provisioned, 0 for none; cursor: a column or null. */
  set({ rates, limit = 0, cursor = null }) {
    Object.assign(this, { rates, limit, cursor });
    this.draw();
    const peak = Math.max(0, ...rates);
    const last = rates.at(-2) ?? rates.at(-1) ?? 0;
    setAttribute(
      this.canvas,
      'aria-label',
      `${this.title}: ${units(last)} lately, ${units(peak)} at most` +
        (limit > 0 ? `, ${units(limit)} provisioned` : ''),
    );
  }

  point(column) {
    this.cursor = column;
    this.draw();
  }

  draw() {
    if (!this.rates || this.canvas.clientWidth === 0) return;
    const { context, width, height } = prepare(this.canvas);
    const colours = palette();
    const plot = { x: GUTTER.left, y: 8, width: width - GUTTER.left - GUTTER.right, height: height - 14 };
    const peak = Math.max(0, ...this.rates);
    const max = Math.max(peak, this.limit > 0 && this.limit < peak * 4 ? this.limit : 0, 1e-9) * 1.08;
    const y = (value) => plot.y + plot.height - (value / max) * plot.height;
    const step = plot.width / this.rates.length;
    this.drawCurve(context, plot, colours, y, step);
    context.fillStyle = colours.line;
    context.fillRect(plot.x, plot.y + plot.height, plot.width, 1);
    context.font = '11px ui-monospace, Menlo, Consolas, monospace';
    context.textAlign = 'right';
    context.textBaseline = 'middle';
    context.fillStyle = colours.muted;
    if (peak > 0) context.fillText(units(peak), plot.x - 8, Math.max(8, y(peak)));
    context.fillText('0', plot.x - 8, plot.y + plot.height - 2);
    if (this.limit > 0 && this.limit <= max) this.drawLimit(context, plot, colours, y(this.limit));
    if (this.cursor !== null) {
      context.fillStyle = colours.text;
      context.globalAlpha = 0.5;
      context.fillRect(plot.x + (this.cursor + 0.5) * step, plot.y - 4, 1, plot.height + 4);
      context.globalAlpha = 1;
    }
  }

  /** Columns are bars: each stands for its slice of time, as in the map above. */
  drawCurve(context, plot, colours, y, step) {
    context.fillStyle = colours[this.name];
    const gap = step > 4 ? 1 : 0;
    this.rates.forEach((rate, column) => {
      if (rate <= 0) return;
      const top = Math.min(y(rate), plot.y + plot.height - 1.5);
      context.fillRect(plot.x + column * step, top, step - gap, plot.y + plot.height - top);
    });
  }

  drawLimit(context, plot, colours, y) {
    context.strokeStyle = colours.text;
    context.setLineDash([4, 4]);
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(plot.x, y);
    context.lineTo(plot.x + plot.width, y);
    context.stroke();
    context.setLineDash([]);
    context.fillStyle = colours.muted;
    context.textAlign = 'left';
    context.fillText(`${units(this.limit)} provisioned`, plot.x + 4, Math.max(6, y - 8));
  }
}
