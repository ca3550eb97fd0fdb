// provoke.js: time and provocation: the clock, the settings of the emulation, faults, and the way back.
import { action, control, curlButton, path, perform } from './api.js';
import { hearClock } from './clock.js';
import { choices, confirmed, fill, h, say, select, setAttribute, setText } from './dom.js';
import { faultsCard } from './faults.js';
import { moment } from './format.js';
import { every } from './poll.js';
import { snapshotsCard } from './snapshots.js';

const STEPS = [
  [1000, '1 s'],
  [60000, '1 min'],
  [300000, '5 min'],
  [3600000, '1 h'],
  [86400000, '1 day'],
];
const RATES = [1, 10, 60, 600, 3600];
const PRESETS = [
  ['faithful', 'Faithful', 'the service’s own figures'],
  ['laptop', 'Laptop', 'a tenth, so that one process reaches it'],
  ['unit-test', 'Unit test', 'small, and the clock stands still'],
];

function clockCard() {
  const shown = h('p', { class: 'big' }, '–');
  const mode = h('p', { class: 'muted' });
  const put = (body) => () => ({ method: 'PUT', url: path('clock'), body });
  const advance = (ms) => () => ({ method: 'POST', url: path('clock/advance'), body: { ms } });
  const custom = h('input', { type: 'number', min: '1', value: '1500', 'aria-label': 'Milliseconds to move on' });
  const steps = h(
    'div',
    { class: 'row' },
    STEPS.map(([ms, label]) => action(`+ ${label}`, advance(ms), undefined, () => poll.now())),
    h(
      'span',
      { class: 'action' },
      custom,
      action(
        '+ ms',
        () => advance(Number(custom.value))(),
        undefined,
        () => poll.now(),
      ),
    ),
  );
  const poll = every(1000, async () => {
    const clock = await control('GET', path('clock'));
    hearClock(clock);
    const isManual = clock.mode === 'manual';
    setText(shown, `${moment(clock.now)}.${String(clock.now % 1000).padStart(3, '0')}`);
    setText(
      mode,
      isManual
        ? 'Time stands still, and moves only when told.'
        : clock.rate === 1
          ? 'Time runs as it does.'
          : `Time runs ${clock.rate} times as fast.`,
    );
    for (const button of steps.querySelectorAll('button:not(.curl)')) button.disabled = !isManual;
    for (const button of rates.querySelectorAll('button:not(.curl)')) {
      setAttribute(
        button,
        'aria-pressed',
        isManual ? button.dataset.rate === 'manual' : button.dataset.rate === String(clock.rate),
      );
    }
  });
  const after = () => poll.now();
  const rates = h(
    'div',
    { class: 'row' },
    action('Stand still', put({ mode: 'manual' }), undefined, after, { 'data-rate': 'manual' }),
    RATES.map((rate) =>
      action(rate === 1 ? 'Real time' : `${rate}×`, put({ mode: 'real', rate }), undefined, after, {
        'data-rate': String(rate),
      }),
    ),
  );
  return {
    element: h(
      'section',
      { class: 'card' },
      h('div', { class: 'card-head' }, h('h2', {}, 'Clock')),
      shown,
      mode,
      rates,
      h('h3', {}, 'Move on'),
      steps,
      h(
        'p',
        { class: 'muted small' },
        'Whatever falls due on the way happens, in order, each thing at its own instant.',
      ),
    ),
    stop: poll.stop,
  };
}

/** Numbers of the settings in a filtered list; Enter or leaving a changed field sends it. */
function settingsCard() {
  const table = select([['', 'The whole server']], '', { 'aria-label': 'Settings of', onchange: () => load() });
  const list = h('div', { class: 'settings' });
  const filter = h('input', {
    type: 'search',
    placeholder: 'Filter settings',
    'aria-label': 'Filter settings',
    oninput: () => sift(),
  });
  const body = (members) => (table.value ? { table: table.value, ...members } : members);
  const patch = (members) => () => ({ method: 'PATCH', url: path('capacity'), body: body(members) });
  const send = async (members, done) => {
    if (await perform(patch(members)(), done)) load();
  };
  const enforce = choices(
    'Enforcement',
    [
      ['on', 'On'],
      ['observe', 'Observe'],
      ['off', 'Off'],
    ],
    '',
    (value) => send({ enforce: value }),
  );
  const era = choices(
    'Era',
    [
      ['static', 'Static'],
      ['adaptive', 'Adaptive'],
      ['instant', 'Instant'],
    ],
    '',
    (value) => send({ era: value }),
  );

  function sift() {
    for (const row of list.children) row.hidden = !row.dataset.name.includes(filter.value.trim().toLowerCase());
  }

  async function load() {
    try {
      const settings = await control('GET', path('capacity', { table: table.value }));
      enforce.choose(settings.enforce);
      era.choose(settings.era);
      fill(
        list,
        Object.entries(settings)
          .filter(([, value]) => typeof value === 'number')
          .map(([name, value]) => {
            const input = h('input', {
              type: 'number',
              step: 'any',
              value: String(value),
              'aria-label': name,
              onchange: () => {
                if (input.value !== '' && Number(input.value) !== value)
                  send({ [name]: Number(input.value) }, `${name} is ${input.value}.`);
              },
            });
            return h(
              'div',
              { class: 'setting', 'data-name': name },
              h('span', { class: 'mono' }, name),
              input,
              curlButton(() => patch({ [name]: Number(input.value) })(), name),
            );
          }),
      );
      sift();
    } catch (error) {
      say(error.message, 'problem');
    }
  }

  async function loadTables() {
    const answer = await control('GET', path('tables')).catch(() => ({ tables: [] }));
    const names = answer.tables.filter((each) => each.scope === '').map((each) => each.table);
    fill(
      table,
      [['', 'The whole server'], ...names.map((name) => [name, name])].map(([value, text]) =>
        h('option', { value }, text),
      ),
    );
  }

  loadTables();
  load();
  const presets = PRESETS.map(([name, label, meaning]) =>
    h(
      'div',
      { class: 'preset' },
      action(label, patch({ preset: name }), `The preset ${name} is in force.`, load),
      h('span', { class: 'muted small' }, meaning),
    ),
  );
  return {
    element: h(
      'section',
      { class: 'card' },
      h('div', { class: 'card-head' }, h('h2', {}, 'Capacity settings'), h('span', { class: 'push' }), table),
      h('div', { class: 'presets' }, presets),
      h(
        'div',
        { class: 'form-row' },
        h('div', { class: 'field' }, h('span', {}, 'Throttling'), enforce),
        h('div', { class: 'field' }, h('span', {}, 'How partitions share throughput'), era),
      ),
      h('div', { class: 'field' }, h('span', {}, 'Numbers'), filter),
      list,
    ),
    stop() {},
  };
}

function resetCard() {
  const request = () => ({ method: 'POST', url: path('reset') });
  return h(
    'section',
    { class: 'card' },
    h('div', { class: 'card-head' }, h('h2', {}, 'Start over')),
    h(
      'p',
      { class: 'muted' },
      'Drops all tables, and sets clock, capacity settings and fault rules back to what the server was started with.',
    ),
    h(
      'div',
      { class: 'row' },
      h(
        'span',
        { class: 'action' },
        h(
          'button',
          {
            type: 'button',
            class: 'danger',
            onclick: async () => {
              if (!(await confirmed('Reset the server?', 'All tables and their items are lost.', 'Reset'))) return;
              const answer = await perform(request());
              if (answer) say(`Reset: ${answer.dropped} tables dropped.`);
            },
          },
          'Reset the server',
        ),
        curlButton(request, 'reset'),
      ),
    ),
  );
}

export function provokeView() {
  const parts = [clockCard(), faultsCard(), settingsCard(), snapshotsCard()];
  return {
    element: h(
      'div',
      { class: 'view' },
      h('div', { class: 'view-head' }, h('h1', {}, 'Time and faults')),
      h(
        'div',
        { class: 'two' },
        h('div', {}, parts[0].element, parts[1].element),
        h('div', {}, parts[2].element, parts[3].element, resetCard()),
      ),
    ),
    stop() {
      for (const part of parts) part.stop();
    },
  };
}
