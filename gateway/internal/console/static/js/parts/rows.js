// Rows of a list that is loaded again and again.

const updates = new WeakMap();

/**
 * showRows makes the children of parent those of items, in their order. A row stays the same
 * element as long as its id is listed, so that it keeps the focus. make returns
 * {element, update}; update is called with the item at first and whenever it is loaded again.
 */
export function showRows(parent, items, make) {
  const ids = new Set(items.map((item) => item.id));
  const rows = new Map();
  for (const row of [...parent.children]) {
    if (ids.has(row.dataset.id)) rows.set(row.dataset.id, row);
    else row.remove();
  }
  let at = parent.firstElementChild;
  for (const item of items) {
    const row = rows.get(item.id) ?? made(item, make);
    updates.get(row)(item);
    if (row === at) at = at.nextElementSibling;
    else parent.insertBefore(row, at);
  }
}

function made(item, make) {
  const {element, update} = make(item);
  element.dataset.id = item.id;
  updates.set(element, update);
  return element;
}

/** setText changes the text of an element if it differs, so that a selection in it survives. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
