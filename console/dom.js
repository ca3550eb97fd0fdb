// dom.js: elements without a framework. Text from data only ever becomes text nodes and attributes, never markup.

/** h('button', {class: 'x', onclick: f, 'aria-label': '…'}, 'text', node, [more]) → the element. */
export function h(tag, props, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'value' || name === 'checked' || name === 'disabled' || name === 'selected')
      element[name] = value;
    else element.setAttribute(name, value === true ? '' : value);
  }
  add(element, children);
  return element;
}

function add(element, children) {
  for (const child of children) {
    if (Array.isArray(child)) add(element, child);
    else if (child !== undefined && child !== null && child !== false) element.append(child);
  }
}

export function fill(element, ...children) {
  element.replaceChildren();
  add(element, children);
  return element;
}

/** Changes the text only when it differs: what did not change is not announced, painted or selected anew. */
export function setText(element, text) {
  const wanted = String(text);
  if (element.textContent !== wanted) element.textContent = wanted;
}

export function setAttribute(element, name, value) {
  const wanted = String(value);
  if (element.getAttribute(name) !== wanted) element.setAttribute(name, wanted);
}

/** Says something once, on the screen and to a screen reader. */
export function say(text, kind = 'info') {
  const place = document.getElementById('says');
  const note = h('div', { class: `note note-${kind}` }, text);
  place.append(note);
  setTimeout(() => note.remove(), kind === 'problem' ? 9000 : 4000);
}

/** A group of exclusive choices: [value, label]…; answers the element, with choose(value) to set it from outside. */
export function choices(label, options, chosen, onchoose) {
  const group = h('div', { class: 'choices', role: 'group', 'aria-label': label });
  const buttons = options.map(([value, text]) =>
    h(
      'button',
      {
        type: 'button',
        'data-value': value,
        onclick: () => {
          group.choose(value);
          onchoose(value);
        },
      },
      text,
    ),
  );
  group.append(...buttons);
  group.choose = (value) =>
    buttons.forEach((button) => setAttribute(button, 'aria-pressed', button.dataset.value === String(value)));
  group.choose(chosen);
  return group;
}

/** A labelled form control: the label stands above it. */
export function field(label, control, hint) {
  return h('label', { class: 'field' }, h('span', {}, label), control, hint && h('small', {}, hint));
}

export function select(options, chosen, props = {}) {
  return h(
    'select',
    props,
    options.map((option) => {
      const [value, text] = Array.isArray(option) ? option : [option, option];
      return h('option', { value, selected: value === chosen }, text);
    }),
  );
}

/** A modal dialog that closes by Escape, its own button or close(); focus goes back to where it came from. */
export function dialog(title, ...content) {
  const before = document.activeElement;
  const heading = h('h2', { id: 'dialog-title' }, title);
  const element = h(
    'dialog',
    { 'aria-labelledby': 'dialog-title' },
    h(
      'div',
      { class: 'dialog-head' },
      heading,
      h('button', { type: 'button', class: 'quiet', onclick: () => element.close() }, 'Close'),
    ),
    ...content,
  );
  element.addEventListener('close', () => {
    element.remove();
    before?.focus?.();
  });
  document.body.append(element);
  element.showModal();
  return element;
}

/** Asks before something is lost; answers whether it may happen. */
export function confirmed(title, text, action) {
  return new Promise((resolve) => {
    let answer = false;
    const element = dialog(
      title,
      h('p', {}, text),
      h(
        'div',
        { class: 'row' },
        h(
          'button',
          {
            type: 'button',
            class: 'danger',
            onclick: () => {
              answer = true;
              element.close();
            },
          },
          action,
        ),
        h('button', { type: 'button', onclick: () => element.close() }, 'Cancel'),
      ),
    );
    element.addEventListener('close', () => resolve(answer));
  });
}
