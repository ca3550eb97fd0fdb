// app.js: the frame: which view stands for the address, the clock above it, the theme.
import { control, path } from './api.js';
import { hearClock } from './clock.js';
import { h, fill, setText } from './dom.js';
import { moment } from './format.js';
import { itemsView } from './items.js';
import { overview } from './overview.js';
import { every, whenOnline } from './poll.js';
import { provokeView } from './provoke.js';
import { themeChanged } from './scale.js';
import { tableView } from './table.js';

const main = document.getElementById('main');
let current = null;

/** "#/tables/orders/indexes/by-day?scope=…" → its view. A view has an element and stop(). */
function viewOf(hash) {
  const [address, query] = hash.replace(/^#\/?/, '').split('?');
  const parts = address.split('/').filter(Boolean).map(decodeURIComponent);
  const scope = query?.startsWith('scope=') ? decodeURIComponent(query.slice(6)) : '';
  const [kind, table, part, index] = parts;
  if (kind === undefined) return { nav: 'nav-tables', title: 'Tables', make: overview };
  if (kind === 'time') return { nav: 'nav-time', title: 'Time and faults', make: provokeView };
  if (kind !== 'tables' || table === undefined) return null;
  const subject = { scope, table, index: part === 'indexes' ? index : undefined };
  const make = part === 'items' ? itemsView : tableView;
  return {
    nav: 'nav-tables',
    title: subject.index ? `${table} / ${subject.index}` : table,
    make: () => make(subject),
  };
}

function show() {
  const wanted = viewOf(location.hash);
  if (wanted === null) {
    location.hash = '#/';
    return;
  }
  const isFirst = current === null;
  current?.stop();
  current = wanted.make();
  fill(main, current.element);
  document.title = `${wanted.title} · Thermodyn`;
  for (const link of document.querySelectorAll('.bar nav a')) {
    if (link.id === wanted.nav) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  scrollTo(0, 0);
  if (!isFirst) main.focus({ preventScroll: true });
}

function watchClock() {
  const dot = document.getElementById('clock-dot');
  const text = document.getElementById('clock-text');
  every(1000, async () => {
    const clock = await control('GET', path('clock'));
    hearClock(clock);
    const pace = clock.mode === 'manual' ? 'stands still' : clock.rate === 1 ? 'live' : `${clock.rate}× as fast`;
    dot.className = clock.mode === 'manual' ? 'dot still' : 'dot live';
    setText(text, `${moment(clock.now)} · ${pace}`);
    document.getElementById('clock').setAttribute('aria-label', `The server's clock: ${pace}`);
  });
  whenOnline((online) => {
    document.body.classList.toggle('offline', !online);
    if (!online) {
      dot.className = 'dot lost';
      setText(text, 'no answer, trying again');
    }
  });
}

function offerThemes() {
  const button = document.getElementById('theme');
  const themes = ['auto', 'light', 'dark'];
  const signs = { auto: '◐', light: '☀', dark: '☾' };
  const chosen = () => document.documentElement.dataset.theme ?? 'auto';
  const label = () => {
    fill(button, h('span', { 'aria-hidden': 'true' }, signs[chosen()]));
    button.setAttribute('aria-label', `Theme: ${chosen()}`);
    button.title = `Theme: ${chosen()}`;
  };
  button.addEventListener('click', () => {
    const next = themes[(themes.indexOf(chosen()) + 1) % themes.length];
    if (next === 'auto') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = next;
    try {
      localStorage.setItem('thermodyn-theme', next);
    } catch {
      /* not kept, then */
    }
    label();
    themeChanged();
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', themeChanged);
  label();
}

offerThemes();
watchClock();
addEventListener('hashchange', show);
show();
