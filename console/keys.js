// keys.js: the keys that were used or throttled most, and what the traffic says of the key design, in words.
import { fill, h } from './dom.js';
import { key as keyText, share as shareText, units } from './format.js';

const SHOWN = 10;

export function keyTable() {
  const body = h('tbody');
  const element = h(
    'table',
    { class: 'plain keys' },
    h('caption', { class: 'hidden' }, 'Hottest keys'),
    h(
      'thead',
      {},
      h(
        'tr',
        {},
        ['Key', 'Share', 'Peak/s', 'Partition'].map((text, at) =>
          h('th', { scope: 'col', class: at === 2 ? 'end' : '' }, text),
        ),
      ),
    ),
    body,
  );
  const empty = h('p', { class: 'empty small' }, 'No traffic in this window.');
  return {
    element: h('div', {}, element, empty),
    set(answer) {
      empty.hidden = answer.keys.length > 0;
      element.hidden = answer.keys.length === 0;
      fill(
        body,
        answer.keys
          .slice(0, SHOWN)
          .map((each) =>
            h(
              'tr',
              {},
              h('th', { scope: 'row', class: 'mono key', title: keyText(each.key) }, keyText(each.key)),
              h('td', {}, shareBar(each.share)),
              h(
                'td',
                { class: 'end' },
                units(each.peak_1s),
                each.over_limit &&
                  h(
                    'span',
                    { class: 'badge badge-problem', title: 'More than one partition serves: no split can help' },
                    'over limit',
                  ),
              ),
              h('td', { class: 'mono muted' }, each.partition),
            ),
          ),
      );
    },
  };
}

function shareBar(share) {
  const part = h('span', { class: 'meter-part' });
  part.style.width = `${Math.min(100, share * 100)}%`;
  return h(
    'span',
    { class: 'share' },
    h('span', { class: 'meter-bar', 'aria-hidden': 'true' }, part),
    shareText(share),
  );
}

const SEVERITIES = { problem: 'Problem', warning: 'Warning', info: 'Good to know' };

export function adviceList() {
  const list = h('ul', { class: 'advice' });
  const more = h('ul', { class: 'advice' });
  const summary = h('summary');
  const rest = h('details', {}, summary, more);
  const none = h('p', { class: 'muted' }, 'Nothing is wrong as far as the traffic shows.');
  let before = '';
  return {
    element: h('div', {}, none, list, rest),
    set(answer) {
      const text = JSON.stringify(answer.advice);
      if (text === before) return;
      before = text;
      const notes = answer.advice.filter((each) => each.severity === 'info');
      const others = answer.advice.filter((each) => each.severity !== 'info');
      none.hidden = others.length > 0;
      fill(list, others.map(card));
      fill(more, notes.map(card));
      rest.hidden = notes.length === 0;
      summary.textContent = `${notes.length} more to know`;
    },
  };
}

function card(each) {
  return h(
    'li',
    { class: `advice-${each.severity}` },
    h(
      'div',
      { class: 'advice-head' },
      h('b', {}, SEVERITIES[each.severity] ?? each.severity),
      h('span', { class: 'mono muted' }, each.kind),
      h('span', { class: 'muted' }, each.resource),
    ),
    h('p', {}, each.text),
  );
}
