// Elements, and the controls that the panel is made of.

/** An element with properties, attributes (those with a dash, and `role`) and children. */
export const made = (name, properties = {}, ...children) => {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue;
    if (key.includes("-") || key === "role") element.setAttribute(key, value);
    else element[key] = value;
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
};

/** A list to choose from; `options`: `[value, title, about?]`. */
export const chooser = (label, options, value, onchange, about) => {
  const select = made(
    "select",
    { name: label, title: about ?? "", "aria-label": label, onchange: () => onchange(select.value) },
    options.map(([value, title, about]) => made("option", { value, title: about ?? "" }, title)),
  );
  select.value = value;
  return made("label", { className: "field" }, made("span", {}, label), select);
};

/** A few to choose from, side by side. */
export const choices = (label, options, value, onchange) =>
  made(
    "div",
    { className: "switch", role: "group", "aria-label": label },
    options.map(([name, title, about]) =>
      made("button", { type: "button", name: `${label} ${name}`, title: about, "aria-pressed": String(name === value), onclick: () => onchange(name) }, title),
    ),
  );

const MOST_ROWS = 1000;

/**
 * A table to be sorted by its columns: `{ title, about, of(row), show(row), isNumber }`; `show` gives a text or an
 * element. `sort`: `{ by, down }`, kept by whoever has it.
 */
export const sortable = (label, columns, rows, sort) => {
  const body = made("tbody");
  const more = made("p", { className: "hint" });
  const heads = columns.map(({ title, about, isNumber }, at) => {
    const button = made("button", { type: "button", className: "quiet", title: about ?? "" }, title);
    button.onclick = () => {
      Object.assign(sort, { by: at, down: sort.by === at ? !sort.down : false });
      fill();
    };
    return made("th", { scope: "col", className: isNumber ? "number" : "" }, button);
  });
  const fill = () => {
    const column = columns[sort.by];
    const sign = sort.down ? -1 : 1;
    const known = (value) => value !== null && value !== undefined && !Number.isNaN(value);
    const sorted = column
      ? [...rows].sort((a, b) => {
          const [one, two] = [column.of(a), column.of(b)];
          // What is not known comes last either way.
          if (!known(one) || !known(two)) return known(two) - known(one);
          return sign * (typeof one === "number" && typeof two === "number" ? one - two : String(one).localeCompare(String(two), "en"));
        })
      : rows;
    heads.forEach((head, at) => head.setAttribute("aria-sort", sort.by !== at ? "none" : sort.down ? "descending" : "ascending"));
    body.replaceChildren(
      ...sorted.slice(0, MOST_ROWS).map((row) => made("tr", {}, columns.map(({ show, isNumber }) => made("td", { className: isNumber ? "number" : "" }, show(row))))),
    );
    more.textContent = rows.length > MOST_ROWS ? `The first ${MOST_ROWS.toLocaleString("en")} of ${rows.length.toLocaleString("en")}; a file has all.` : "";
  };
  fill();
  // Whoever has no mouse scrolls it by keyboard.
  const frame = made("div", { className: "rows", tabIndex: 0, role: "region", "aria-label": label }, made("table", { className: "packers" }, made("thead", {}, made("tr", {}, heads)), body));
  return made("div", {}, frame, more);
};
