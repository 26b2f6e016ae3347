// Elements of the page. Text becomes text nodes only, never markup.

const SVG = "http://www.w3.org/2000/svg";

/** Returns an HTML element: attributes by name, `on` for listeners, then children or text. */
export function element(tag, { on = {}, ...attributes } = {}, ...children) {
  return filled(document.createElement(tag), attributes, on, children);
}

/** Returns an SVG element. */
export function svg(tag, { on = {}, ...attributes } = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, on, children);
}

function filled(node, attributes, listeners, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, value);
  }
  for (const [event, listener] of Object.entries(listeners)) node.addEventListener(event, listener);
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

let lastNumber = 0;

/** Returns an id that no other element has. */
export function freshId(prefix) {
  lastNumber += 1;
  return `${prefix}-${lastNumber}`;
}
