// Elements, as the panel's parts make them.

/** An element with these properties and children; `null` is no child. */
export const made = (name, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children.filter((child) => child !== null));
  return element;
};

/** A button with words, and what it does. */
export const button = (words, act, properties = {}) => made("button", { type: "button", onclick: act, ...properties }, words);
