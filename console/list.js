// list.js: a table of any length of which only the rows in sight exist: 1,000 tables, 5,000 partitions. It is one to
// screen readers too: roles, counts and the place of each row are told, since the rows themselves come and go.
import { h, setAttribute, setText } from './dom.js';

const OVERSCAN = 8;

export class List {
  /**
   * label     what the table holds, for screen readers
   * name      the class that gives the columns their widths
   * columns   {label, sort?: (row) => value, end?: numbers, to the right, number?: largest first}
   * height    (isNarrow) => pixels of a row
   * makeRow   () => {cells: [elements by column], update(row)}
   * keyOf     (row) => what tells rows apart
   */
  constructor({ label, name, columns, height, makeRow, keyOf, empty }) {
    Object.assign(this, { columns, height, makeRow, keyOf });
    this.rows = [];
    this.shown = new Map();
    this.spare = [];
    this.sortBy = null;
    this.narrow = matchMedia('(max-width: 760px)');
    this.heads = columns.map((column, at) =>
      h(
        'div',
        { role: 'columnheader', class: column.end ? 'end' : column.sort ? '' : 'hide-narrow' },
        column.sort
          ? h('button', { type: 'button', onclick: () => this.sort(at) }, column.label)
          : h('span', {}, column.label),
      ),
    );
    this.spacer = h('div', { class: 'list-space', role: 'presentation' });
    this.body = h('div', { class: 'list-body', role: 'rowgroup', tabindex: '0', 'aria-label': label }, this.spacer);
    this.empty = h('p', { class: 'empty' }, empty ?? 'Nothing here.');
    this.table = h(
      'div',
      { class: `list ${name}`, role: 'table', 'aria-label': label, 'aria-colcount': columns.length },
      h(
        'div',
        { role: 'rowgroup', class: 'list-head' },
        h('div', { role: 'row', class: 'list-row', 'aria-rowindex': 1 }, this.heads),
      ),
      this.body,
    );
    this.element = h('div', { class: 'list-frame' }, this.table, this.empty);
    this.body.addEventListener('scroll', () => this.render(), { passive: true });
    this.narrow.addEventListener('change', () => this.render());
    this.observer = new ResizeObserver(() => this.render());
    this.observer.observe(this.body);
  }

  stop() {
    this.observer.disconnect();
  }

  sort(at) {
    const isSame = this.sortBy?.at === at;
    const first = this.columns[at].end || this.columns[at].number ? -1 : 1;
    this.sortBy = { at, sign: isSame ? -this.sortBy.sign : first };
    this.set(this.rows);
  }

  set(rows) {
    this.rows = rows;
    this.ordered = rows;
    if (this.sortBy) {
      const { at, sign } = this.sortBy;
      const value = this.columns[at].sort;
      this.ordered = [...rows].sort((a, b) => {
        const [x, y] = [value(a), value(b)];
        return sign * (x < y ? -1 : x > y ? 1 : 0);
      });
    }
    this.heads.forEach((head, at) => {
      const sorted = this.sortBy?.at === at ? (this.sortBy.sign > 0 ? 'ascending' : 'descending') : null;
      if (sorted) setAttribute(head, 'aria-sort', sorted);
      else head.removeAttribute('aria-sort');
    });
    setAttribute(this.table, 'aria-rowcount', rows.length + 1);
    this.empty.hidden = rows.length > 0;
    this.table.hidden = rows.length === 0;
    this.render();
  }

  /** Makes the rows that are in sight, and fills them anew. A row keeps its element, and with it the focus. */
  render() {
    if (!this.ordered) return;
    const height = this.height(this.narrow.matches);
    this.spacer.style.height = `${this.ordered.length * height}px`;
    const first = Math.max(0, Math.floor(this.body.scrollTop / height) - OVERSCAN);
    const last = Math.min(
      this.ordered.length,
      Math.ceil((this.body.scrollTop + this.body.clientHeight) / height) + OVERSCAN,
    );
    const wanted = new Map();
    for (let at = first; at < last; at += 1) wanted.set(this.keyOf(this.ordered[at]), at);
    for (const [key, made] of this.shown) {
      if (wanted.has(key)) continue;
      made.element.remove();
      this.spare.push(made);
      this.shown.delete(key);
    }
    let before = null;
    for (const [key, at] of wanted) {
      let made = this.shown.get(key);
      if (!made) {
        made = this.spare.pop() ?? this.make();
        this.shown.set(key, made);
      }
      setAttribute(made.element, 'aria-rowindex', at + 2);
      made.element.style.transform = `translateY(${at * height}px)`;
      made.element.style.height = `${height}px`;
      if (made.element.previousSibling !== before || made.element.parentNode !== this.spacer) {
        if (made.element !== this.focusedRow())
          this.spacer.insertBefore(made.element, before ? before.nextSibling : this.spacer.firstChild);
      }
      before = made.element;
      made.update(this.ordered[at]);
    }
    this.spare.length = Math.min(this.spare.length, 40);
  }

  /** Moving it in the document would take the focus from what is in it. */
  focusedRow() {
    const focused = document.activeElement;
    return focused && this.spacer.contains(focused) ? focused.closest('.list-row') : null;
  }

  make() {
    const { cells, update } = this.makeRow();
    cells.forEach((cell, at) => {
      cell.setAttribute('role', 'cell');
      cell.dataset.label = this.columns[at].label;
      if (this.columns[at].end) cell.classList.add('end');
    });
    return { element: h('div', { role: 'row', class: 'list-row' }, cells), update };
  }
}

/** A cell whose text is set at each update. */
export function textCell(name = '') {
  const element = h('div', { class: name });
  element.say = (text) => setText(element, text);
  return element;
}
