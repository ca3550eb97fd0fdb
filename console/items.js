// items.js: the items of a table, page by page, through the API that its users call. Editing is behind a switch.
import { curlButton, dynamo, dynamoRequest } from './api.js';
import { choices, confirmed, dialog, fill, h, say, setText } from './dom.js';
import { count, units } from './format.js';
import { every } from './poll.js';
import { queryForm } from './query.js';
import { head } from './table.js';
import { plainItem, shortText, typeOf } from './values.js';

const COLUMNS_MAX = 12;

/** The keys first, then the attributes that most items have. */
function columnsOf(items, keyNames) {
  const seen = new Map();
  for (const item of items) for (const name of Object.keys(item)) seen.set(name, (seen.get(name) ?? 0) + 1);
  const others = [...seen.keys()]
    .filter((name) => !keyNames.includes(name))
    .sort((a, b) => seen.get(b) - seen.get(a) || (a < b ? -1 : 1));
  return [...keyNames, ...others].slice(0, COLUMNS_MAX);
}

export function itemsView(subject) {
  const header = h('div', { class: 'table-head' }, head(subject, 'items'));
  const trouble = h('p', { class: 'trouble', role: 'alert', hidden: true });
  const place = h('section', { class: 'card' }, h('p', { class: 'muted' }, 'Loading …'));
  const results = h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Items' });
  const summary = h('p', { class: 'summary', role: 'status' });
  const state = { pages: [undefined], at: 0, mayEdit: false, keyNames: [], form: null };

  const previous = h('button', { type: 'button', disabled: true, onclick: () => turn(-1) }, 'Previous');
  const next = h('button', { type: 'button', disabled: true, onclick: () => turn(1) }, 'Next');
  const create = h('button', { type: 'button', hidden: true, onclick: () => edit(null) }, 'New item');
  const mayEdit = h('input', {
    type: 'checkbox',
    role: 'switch',
    onchange: () => {
      state.mayEdit = mayEdit.checked;
      create.hidden = !state.mayEdit;
    },
  });

  const fail = (error) => {
    trouble.hidden = false;
    setText(trouble, error.type ? `${error.type}: ${error.message}` : error.message);
  };

  const request = () => state.form.request(state.pages[state.at]);

  async function run() {
    trouble.hidden = true;
    try {
      const { operation, input } = request();
      const answer = await dynamo(operation, input, subject.scope);
      state.pages.length = state.at + 1;
      if (answer.LastEvaluatedKey) state.pages.push(answer.LastEvaluatedKey);
      show(operation, answer);
    } catch (error) {
      fail(error);
    }
  }

  function turn(by) {
    state.at += by;
    run();
  }

  function show(operation, answer) {
    previous.disabled = state.at === 0;
    next.disabled = answer.LastEvaluatedKey === undefined;
    const used = answer.ConsumedCapacity?.CapacityUnits ?? 0;
    setText(
      summary,
      `${operation}: page ${state.at + 1}, ${count(answer.Count)} of ${count(answer.ScannedCount)} items read, ` +
        `${units(used)} read units`,
    );
    const columns = columnsOf(answer.Items, state.keyNames);
    if (answer.Items.length === 0) {
      fill(results, h('p', { class: 'empty' }, 'No items on this page.'));
      return;
    }
    fill(
      results,
      h(
        'table',
        { class: 'plain items' },
        h('caption', { class: 'hidden' }, 'Items'),
        h(
          'thead',
          {},
          h(
            'tr',
            {},
            columns.map((name) => h('th', { scope: 'col' }, name)),
          ),
        ),
        h(
          'tbody',
          {},
          answer.Items.map((item) =>
            h(
              'tr',
              {},
              columns.map((name, at) => {
                const value = item[name];
                if (value === undefined) return h('td', { class: 'muted' }, '');
                if (at > 0) return h('td', { 'data-type': typeOf(value) }, shortText(value));
                return h(
                  'td',
                  {},
                  h('button', { type: 'button', class: 'link', onclick: () => look(item) }, shortText(value) || '""'),
                );
              }),
            ),
          ),
        ),
      ),
    );
  }

  function look(item) {
    const text = h('pre', { class: 'code', tabindex: '0' });
    const forms = { dynamo: () => JSON.stringify(item, null, 2), plain: () => plainItem(item) };
    setText(text, forms.dynamo());
    const key = Object.fromEntries(state.keyNames.map((name) => [name, item[name]]));
    const isWhole = state.keyNames.every((name) => item[name] !== undefined);
    const element = dialog(
      'Item',
      h(
        'div',
        { class: 'row' },
        choices(
          'Form',
          [
            ['dynamo', 'DynamoDB JSON'],
            ['plain', 'Plain JSON'],
          ],
          'dynamo',
          (form) => setText(text, forms[form]()),
        ),
        h('span', { class: 'push' }),
        isWhole &&
          curlButton(
            () => dynamoRequest('GetItem', { TableName: subject.table, Key: key }, subject.scope),
            'GetItem',
          ),
      ),
      text,
      state.mayEdit &&
        isWhole &&
        h(
          'div',
          { class: 'row' },
          h(
            'button',
            {
              type: 'button',
              onclick: () => {
                element.close();
                fetchAndEdit(key);
              },
            },
            'Edit',
          ),
          h(
            'button',
            {
              type: 'button',
              class: 'danger',
              onclick: () => {
                element.close();
                remove(key);
              },
            },
            'Delete',
          ),
        ),
    );
  }

  /** What an index projects is not the whole item: the whole one is read before it is edited. */
  async function fetchAndEdit(key) {
    try {
      const answer = await dynamo(
        'GetItem',
        { TableName: subject.table, Key: key, ConsistentRead: true },
        subject.scope,
      );
      if (answer.Item) edit(answer.Item);
      else say('The item is gone.', 'problem');
    } catch (error) {
      fail(error);
    }
  }

  function edit(item) {
    const template =
      item ?? Object.fromEntries(state.keyNames.map((name) => [name, { [state.types.get(name)]: '' }]));
    const area = h('textarea', {
      class: 'code',
      rows: 16,
      spellcheck: 'false',
      'aria-label': 'The item as DynamoDB JSON',
      value: JSON.stringify(template, null, 2),
    });
    const wrong = h('p', { class: 'trouble', role: 'alert', hidden: true });
    const input = () => {
      const written = JSON.parse(area.value);
      const isSame =
        item === null || state.keyNames.every((name) => JSON.stringify(written[name]) === JSON.stringify(item[name]));
      if (!isSame) throw new Error('The key names the item: another key is a new item.');
      const guard = `attribute_${item === null ? 'not_' : ''}exists(#key)`;
      return {
        TableName: subject.table,
        Item: written,
        ConditionExpression: guard,
        ExpressionAttributeNames: { '#key': state.keyNames[0] },
      };
    };
    const element = dialog(
      item === null ? 'New item' : 'Edit the item',
      area,
      wrong,
      h(
        'div',
        { class: 'row' },
        h(
          'button',
          {
            type: 'button',
            class: 'primary',
            onclick: async () => {
              try {
                await dynamo('PutItem', input(), subject.scope);
                element.close();
                say('The item is stored.');
                run();
              } catch (error) {
                wrong.hidden = false;
                setText(wrong, error.type ? `${error.type}: ${error.message}` : error.message);
              }
            },
          },
          'Store',
        ),
        h(
          'span',
          { class: 'muted small' },
          item === null ? 'Refused when the key exists already.' : 'Replaces the whole item.',
        ),
      ),
    );
    area.focus();
  }

  async function remove(key) {
    if (!(await confirmed('Delete the item?', Object.values(key).map(shortText).join(' / '), 'Delete'))) return;
    try {
      await dynamo('DeleteItem', { TableName: subject.table, Key: key }, subject.scope);
      say('The item is deleted.');
      run();
    } catch (error) {
      fail(error);
    }
  }

  async function load() {
    try {
      const { Table: description } = await dynamo('DescribeTable', { TableName: subject.table }, subject.scope);
      state.keyNames = description.KeySchema.map((each) => each.AttributeName);
      state.types = new Map(description.AttributeDefinitions.map((each) => [each.AttributeName, each.AttributeType]));
      fill(
        header,
        head(
          subject,
          'items',
          (description.GlobalSecondaryIndexes ?? []).map((each) => each.IndexName),
        ),
      );
      state.form = queryForm(description, () => {
        state.at = 0;
        state.pages = [undefined];
        run();
      });
      fill(place, state.form.element);
      place.after(
        h(
          'section',
          { class: 'card' },
          h(
            'div',
            { class: 'card-head' },
            summary,
            h('span', { class: 'push' }),
            h('label', { class: 'switch' }, mayEdit, h('span', {}, 'Allow editing')),
            create,
            curlButton(() => {
              const { operation, input } = request();
              return dynamoRequest(operation, input, subject.scope);
            }, 'this page'),
            h('span', { class: 'row tight' }, previous, next),
          ),
          results,
        ),
      );
      run();
      loading.stop();
    } catch (error) {
      fill(place);
      fail(error);
      if (error.status === 0) throw error; /* it is asked again */
      loading.stop();
    }
  }

  const loading = every(1000, load);
  return { element: h('div', { class: 'view' }, header, trouble, place), stop: () => loading.stop() };
}
