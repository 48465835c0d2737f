// The list of operations beside the API reference, where the window is wide enough.

// groups returns the tags of a description with their operations, in its order.
const groups = (description) => description.tags.map(({name}) => ({
  name,
  operations: Object.entries(description.paths).flatMap(([path, item]) => Object.entries(item)
    .filter(([, operation]) => operation.tags?.includes(name))
    .map(([method, {operationId, summary}]) => ({id: `${method} ${path}`, name: operationId, summary}))),
}));

const node = (tag, properties, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};

/**
 * contents fills a nav element with a link to each operation. A link calls open with the tag
 * and the operationId. It returns a function that leaves only the operations of a set, each
 * as "method path", or all if the set is undefined.
 */
export const contents = (nav, description, open) => {
  const lists = groups(description).map(({name: tag, operations}) => {
    const links = operations.map(({id, name, summary}) => {
      const link = node("a", {href: `#/${tag}/${name}`}, summary);
      link.addEventListener("click", (event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return; // another tab or window
        event.preventDefault();
        open(tag, name);
      });
      return {id, item: node("li", {}, link)};
    });
    const title = node("p", {id: `contents-${tag}`}, tag);
    const list = node("ul", {}, ...links.map(({item}) => item));
    list.setAttribute("aria-labelledby", title.id);
    return {links, group: node("div", {}, title, list)};
  });
  nav.replaceChildren(...lists.map(({group}) => group));
  nav.hidden = false;
  return (found) => {
    for (const {links, group} of lists) {
      for (const {id, item} of links) item.hidden = Boolean(found) && !found.has(id);
      group.hidden = links.every(({item}) => item.hidden);
    }
  };
};
