// The reference beside the text: what is under the cursor, with an example to insert; and below it all words there are. What is
// said of them is what the scripts' program says of its language (`describe`).

import { button, made } from "./elements.js";

/** What words are of, for people. In the order shown. */
const GROUPS = {
  job: ["A job", "job."],
  view: ["What plan sees", "view."],
  jobs: ["A list of jobs", "jobs."],
  constant: ["At the top", ""],
  function: ["Functions", ""],
  statement: ["The language", ""],
  array: ["An array", "array."],
  map: ["A map", "map."],
  text: ["A text", "text."],
};

/** The pane. `insert(word)` puts its example into the text. Out: `root`, and `show(words)`. */
export const reference = (known, insert) => {
  const shown = made("div", { className: "words" });
  const none = made("p", { className: "hint" }, "Put the cursor on a word, or choose one below.");
  const entry = (word) => {
    const [, owner] = GROUPS[word.of] ?? ["", ""];
    const isCall = word.signature.startsWith("(");
    const title = made("h3", {}, made("code", {}, `${owner}${word.name}${isCall ? word.signature.split(" or ")[0] : ""}`));
    const unit = !isCall && word.signature ? made("span", { className: "hint" }, word.signature) : null;
    return made(
      "article",
      {},
      made("div", { className: "row" }, title, unit),
      made("p", {}, word.about),
      made("pre", {}, made("code", {}, word.example)),
      button("Insert", () => insert(word), { title: `Puts this line into the text` }),
    );
  };
  let now = "";
  const show = (words) => {
    const key = words.map(({ of, name }) => `${of}.${name}`).join(" ");
    if (key === now) return;
    now = key;
    shown.replaceChildren(...(words.length ? words.slice(0, 3).map(entry) : [none]));
  };
  shown.append(none);
  const groups = Object.entries(GROUPS).map(([of, [title]]) => {
    const own = known.words.filter((word) => word.of === of);
    const listed = own.map((word) => made("li", {}, button(word.name, () => (show([word]), shown.scrollIntoView({ block: "nearest" })), { className: "quiet", title: word.about })));
    return made("details", {}, made("summary", {}, `${title} (${own.length})`), made("ul", { className: "names" }, ...listed));
  });
  const root = made("div", { className: "reference" }, shown, ...groups);
  return { root, show };
};
