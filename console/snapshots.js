// snapshots.js: states of all tables, kept under names and gone back to.
import { action, control, curlButton, path, perform } from './api.js';
import { confirmed, h, say, setText } from './dom.js';
import { bytes, count, moment } from './format.js';
import { every } from './poll.js';

const NAME = '[A-Za-z0-9._\\-]{1,255}';

export function snapshotsCard() {
  const list = h('tbody');
  const none = h('p', { class: 'empty small' }, 'No snapshots: nothing is kept.');
  const table = h(
    'table',
    { class: 'plain', hidden: true },
    h('caption', { class: 'hidden' }, 'Snapshots'),
    h(
      'thead',
      {},
      h(
        'tr',
        {},
        h('th', { scope: 'col' }, 'Name'),
        h('th', { scope: 'col', class: 'end' }, 'Items'),
        h('th', { scope: 'col', class: 'end' }, 'Changes kept'),
        h('th', { scope: 'col' }, h('span', { class: 'hidden' }, 'Go back or remove')),
      ),
    ),
    list,
  );
  const made = new Map();
  const name = h('input', {
    type: 'text',
    value: 'seed',
    required: true,
    pattern: NAME,
    autocomplete: 'off',
    spellcheck: 'false',
    'aria-label': 'Name of the snapshot',
  });
  const url = (each) => path(`snapshots/${encodeURIComponent(each)}`);
  const keep = () => ({ method: 'PUT', url: url(name.value.trim()) });

  function makeRow(each) {
    const restore = () => ({ method: 'POST', url: `${url(each.name)}/restore` });
    const items = h('td', { class: 'end' });
    const changes = h('td', { class: 'end' });
    const goBack = async () => {
      const isSure = await confirmed(
        `Go back to ${each.name}?`,
        'What has changed since in any table is lost, unless another snapshot has it.',
        'Go back',
      );
      if (isSure && (await perform(restore(), `Back at ${each.name}.`))) poll.now();
    };
    const element = h(
      'tr',
      {},
      h('th', { scope: 'row' }, each.name, h('span', { class: 'muted small' }, ` ${moment(each.created)}`)),
      items,
      changes,
      h(
        'td',
        { class: 'end' },
        h(
          'span',
          { class: 'action' },
          h('button', { type: 'button', 'aria-label': `Go back: ${each.name}`, onclick: goBack }, 'Go back'),
          curlButton(restore, `go back: ${each.name}`),
        ),
        action(
          'Remove',
          () => ({ method: 'DELETE', url: url(each.name) }),
          undefined,
          () => poll.now(),
          { 'aria-label': `Remove: ${each.name}` },
        ),
      ),
    );
    list.append(element);
    return { element, items, changes, created: each.created };
  }

  function show(snapshots) {
    none.hidden = snapshots.length > 0;
    table.hidden = snapshots.length === 0;
    const present = new Map(snapshots.map((each) => [each.name, each.created]));
    for (const [each, row] of made) {
      if (present.get(each) === row.created) continue;
      row.element.remove();
      made.delete(each);
    }
    for (const each of snapshots) {
      if (!made.has(each.name)) made.set(each.name, makeRow(each));
      const row = made.get(each.name);
      setText(row.items, count(each.items));
      setText(row.changes, `${count(each.changes)} (${bytes(each.changed_bytes)})`);
    }
  }

  const poll = every(1000, async () => show((await control('GET', path('snapshots'))).snapshots));
  return {
    element: h(
      'section',
      { class: 'card' },
      h('div', { class: 'card-head' }, h('h2', {}, 'Snapshots')),
      table,
      none,
      h(
        'form',
        {
          class: 'row',
          onsubmit: async (event) => {
            event.preventDefault();
            const answer = await perform(keep());
            if (answer) say(`Kept ${answer.items} items of ${answer.tables} tables.`);
            poll.now();
          },
        },
        name,
        h(
          'span',
          { class: 'action' },
          h('button', { type: 'submit', class: 'primary' }, 'Keep the present state'),
          curlButton(keep, 'keep the present state'),
        ),
      ),
    ),
    stop: poll.stop,
  };
}
