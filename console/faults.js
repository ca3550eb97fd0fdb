// faults.js: rules that make requests fail, wait or lose their answers: those there are, with their counts, and a form.
import { control, curlButton, path, perform } from './api.js';
import { field, fill, h, select, setText } from './dom.js';
import { count } from './format.js';
import { every } from './poll.js';

const KINDS = [
  ['error', 'fails with an error'],
  ['latency_ms', 'waits'],
  ['drop_before', 'loses its connection, undone'],
  ['drop_after', 'loses its answer, done'],
  ['unprocessed', 'comes back unprocessed (batches)'],
];
const ERRORS = [
  'ProvisionedThroughputExceededException',
  'ThrottlingException',
  'RequestLimitExceeded',
  'InternalServerError',
  'ServiceUnavailable',
  'TransactionConflictException',
  'TransactionCanceledException',
  'TransactionInProgressException',
  'ConditionalCheckFailedException',
  'ItemCollectionSizeLimitExceededException',
  'ExpiredTokenException',
];
const OPERATIONS = [
  'GetItem',
  'PutItem',
  'UpdateItem',
  'DeleteItem',
  'Query',
  'Scan',
  'BatchGetItem',
  'BatchWriteItem',
  'TransactGetItems',
  'TransactWriteItems',
];

/** A rule in words. */
function words({ match = {}, inject = {}, probability = 1, skip = 0, times }) {
  const operation = Array.isArray(match.operation) ? match.operation.join(', ') : match.operation;
  const subject = [
    operation ?? 'Any request',
    match.table && `on ${match.table}`,
    match.index && `by ${match.index}`,
    match.key && `at ${JSON.stringify(match.key)}`,
  ]
    .filter(Boolean)
    .join(' ');
  const effect = inject.error
    ? `fails with ${inject.error}${inject.reason ? ` (${inject.reason})` : ''}`
    : inject.latency_ms
      ? `waits ${inject.latency_ms.min}–${inject.latency_ms.max} ms`
      : inject.drop_connection
        ? `loses its connection ${inject.drop_connection === 'after' ? 'after it was done' : 'before it is done'}`
        : 'comes back unprocessed';
  const when = [
    probability < 1 && `${Math.round(probability * 100)} % of the time`,
    skip > 0 && `after ${skip}`,
    times && `at most ${times} times`,
  ].filter(Boolean);
  return `${subject} ${effect}${when.length > 0 ? `, ${when.join(', ')}` : ''}`;
}

export function faultsCard() {
  const list = h('tbody');
  const none = h('p', { class: 'empty small' }, 'No rules: nothing is provoked.');
  const table = h(
    'table',
    { class: 'plain' },
    h('caption', { class: 'hidden' }, 'Fault rules'),
    h(
      'thead',
      {},
      h(
        'tr',
        {},
        h('th', { scope: 'col' }, 'Rule'),
        h('th', { scope: 'col', class: 'end' }, 'Matched'),
        h('th', { scope: 'col', class: 'end' }, 'Injected'),
        h('th', { scope: 'col' }, h('span', { class: 'hidden' }, 'Remove')),
      ),
    ),
    list,
  );
  const made = new Map();

  const text = (props) => h('input', { type: 'text', autocomplete: 'off', spellcheck: 'false', ...props });
  const operation = select([['', 'any operation'], ...OPERATIONS.map((each) => [each, each])], '');
  const onTable = text({ placeholder: 'any table' });
  const kind = select(KINDS, 'error', { onchange: () => choose() });
  const error = select(
    ERRORS.map((each) => [each, each]),
    ERRORS[0],
  );
  const min = h('input', { type: 'number', min: '0', max: '60000', value: '50' });
  const max = h('input', { type: 'number', min: '0', max: '60000', value: '500' });
  const probability = h('input', { type: 'number', min: '0', max: '1', step: 'any', value: '1' });
  const skip = h('input', { type: 'number', min: '0', value: '0' });
  const times = h('input', { type: 'number', min: '1', placeholder: 'always' });
  const errorField = field('Error', error);
  const waitField = h('div', { class: 'form-row' }, field('From ms', min), field('To ms', max));

  function choose() {
    errorField.hidden = kind.value !== 'error';
    waitField.hidden = kind.value !== 'latency_ms';
  }

  function rule() {
    const match = {};
    if (operation.value) match.operation = operation.value;
    if (onTable.value.trim()) match.table = onTable.value.trim();
    const injects = {
      error: () => ({ error: error.value }),
      latency_ms: () => ({ latency_ms: { min: Number(min.value), max: Number(max.value) } }),
      drop_before: () => ({ drop_connection: 'before' }),
      drop_after: () => ({ drop_connection: 'after' }),
      unprocessed: () => ({ unprocessed: true }),
    };
    const made = { match, inject: injects[kind.value]() };
    if (probability.value !== '' && Number(probability.value) !== 1) made.probability = Number(probability.value);
    if (Number(skip.value) > 0) made.skip = Number(skip.value);
    if (times.value !== '') made.times = Number(times.value);
    return made;
  }

  const add = () => ({ method: 'POST', url: path('faults'), body: rule() });
  const removeAll = () => ({ method: 'DELETE', url: path('faults') });
  const removeOne = (id) => ({ method: 'DELETE', url: path(`faults/${encodeURIComponent(id)}`) });

  function show(rules) {
    none.hidden = rules.length > 0;
    table.hidden = rules.length === 0;
    const ids = new Set(rules.map((each) => each.id));
    for (const [id, row] of made) {
      if (ids.has(id)) continue;
      row.element.remove();
      made.delete(id);
    }
    for (const each of rules) {
      if (!made.has(each.id)) made.set(each.id, makeRow(each));
      const row = made.get(each.id);
      setText(row.matched, count(each.matched));
      setText(row.injected, count(each.injected));
    }
  }

  function makeRow(each) {
    const matched = h('td', { class: 'end' });
    const injected = h('td', { class: 'end' });
    const said = words(each);
    const element = h(
      'tr',
      {},
      h('th', { scope: 'row' }, said),
      matched,
      injected,
      h(
        'td',
        { class: 'end' },
        h(
          'span',
          { class: 'action' },
          h(
            'button',
            {
              type: 'button',
              'aria-label': `Remove: ${said}`,
              onclick: async () => {
                await perform(removeOne(each.id));
                poll.now();
              },
            },
            'Remove',
          ),
          curlButton(() => removeOne(each.id), `remove: ${said}`),
        ),
      ),
    );
    list.append(element);
    return { element, matched, injected };
  }

  const poll = every(1000, async () => show((await control('GET', path('faults'))).rules));
  choose();
  const form = h(
    'form',
    {
      class: 'query',
      onsubmit: async (event) => {
        event.preventDefault();
        if (await perform(add(), 'The rule is in force.')) poll.now();
      },
    },
    h(
      'div',
      { class: 'form-row' },
      field('When', operation),
      field('On', onTable),
      field('It', kind),
      errorField,
      waitField,
    ),
    h(
      'div',
      { class: 'form-row' },
      field('Probability', probability),
      field('Pass first', skip),
      field('At most', times),
    ),
    h(
      'div',
      { class: 'row' },
      h(
        'span',
        { class: 'action' },
        h('button', { type: 'submit', class: 'primary' }, 'Add the rule'),
        curlButton(add, 'add the rule'),
      ),
    ),
  );
  return {
    element: h(
      'section',
      { class: 'card' },
      h(
        'div',
        { class: 'card-head' },
        h('h2', {}, 'Faults'),
        h('span', { class: 'push' }),
        h(
          'span',
          { class: 'action' },
          h(
            'button',
            {
              type: 'button',
              onclick: async () => {
                await perform(removeAll(), 'No rule is left.');
                poll.now();
              },
            },
            'Remove all',
          ),
          curlButton(removeAll, 'remove all'),
        ),
      ),
      table,
      none,
      h('h3', {}, 'New rule'),
      form,
    ),
    stop: poll.stop,
  };
}
