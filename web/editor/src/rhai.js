// Rhai for CodeMirror: what stands for what, and what can be written next.

import { autocompletion, completeAnyWord } from "@codemirror/autocomplete";
import { HighlightStyle, LanguageSupport, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { tags } from "@lezer/highlight";

const ATOMS = ["true", "false", "this"];

/** One token after the other, where these are the keywords; `state.comment` counts comments within
 * comments, `state.depth` brackets that are open; `state.string` is what ends one. */
const token = (keywords) => (stream, state) => {
  if (state.comment) {
    while (!stream.eol()) {
      if (stream.match("/*")) state.comment += 1;
      else if (stream.match("*/")) {
        state.comment -= 1;
        if (!state.comment) break;
      } else stream.next();
    }
    return "comment";
  }
  if (state.string) {
    while (!stream.eol()) {
      const letter = stream.next();
      if (letter === "\\" && state.string !== "`") stream.next();
      else if (letter === state.string) {
        state.string = "";
        return "string";
      }
    }
    // Only what stands between backticks goes on in the next line.
    if (state.string !== "`") state.string = "";
    return "string";
  }
  if (stream.eatSpace()) return null;
  if (stream.match("//")) {
    stream.skipToEnd();
    return "lineComment";
  }
  if (stream.match("/*")) {
    state.comment = 1;
    return "comment";
  }
  if (stream.match(/^["'`]/)) {
    state.string = stream.current();
    return "string";
  }
  if (stream.match(/^(0x[\da-f_]+|0o[0-7_]+|0b[01_]+|\d[\d_]*(\.\d[\d_]*)?(e[+-]?\d+)?)/i)) return "number";
  if (stream.match(/^[\p{L}_][\p{L}\p{N}_]*/u)) {
    const word = stream.current();
    const follows = state.last;
    state.last = word;
    if (follows === "fn") return "definition";
    if (keywords.includes(word)) return "keyword";
    if (ATOMS.includes(word)) return "atom";
    if (follows === ".") return stream.match(/^\s*\(/, false) ? "call" : "property";
    return stream.match(/^\s*\(/, false) ? "call" : "variable";
  }
  state.last = stream.next();
  if ("{[(".includes(state.last)) state.depth += 1;
  else if ("}])".includes(state.last)) state.depth = Math.max(0, state.depth - 1);
  if ("{}[]()".includes(state.last)) return "bracket";
  return /[-+*/%<>=!&|^~?:.#]/.test(state.last) ? "operator" : null;
};

const rhai = (keywords) => StreamLanguage.define({
  name: "rhai",
  startState: () => ({ comment: 0, string: "", last: "", depth: 0 }),
  token: token(keywords),
  indent: ({ comment, string, depth }, after, { unit }) =>
    comment || string ? null : Math.max(0, depth - (/^\s*[}\])]/.test(after) ? 1 : 0)) * unit,
  languageData: {
    commentTokens: { line: "//", block: { open: "/*", close: "*/" } },
    closeBrackets: { brackets: ["(", "[", "{", '"'] },
    indentOnInput: /^\s*[}\])]$/,
  },
  tokenTable: {
    lineComment: tags.lineComment,
    definition: tags.definition(tags.variableName),
    call: tags.function(tags.variableName),
    property: tags.propertyName,
    variable: tags.variableName,
  },
});

const colours = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--code-keyword)", fontWeight: "600" },
  { tag: [tags.comment, tags.lineComment], color: "var(--code-comment)", fontStyle: "italic" },
  { tag: tags.string, color: "var(--code-string)" },
  { tag: [tags.number, tags.atom], color: "var(--code-number)" },
  { tag: tags.definition(tags.variableName), color: "var(--code-definition)", fontWeight: "600" },
  { tag: tags.function(tags.variableName), color: "var(--code-definition)" },
  { tag: tags.propertyName, color: "var(--code-property)" },
]);

/** A word of the language's table as what can be completed: `{ of, name, signature, about }`. */
const option = ({ of, name, signature, about }) => ({
  label: name,
  detail: signature,
  info: about,
  type: of === "function" ? "function" : "property",
});

/** What may follow: fields after a dot, else functions, keywords, and words that stand there already. */
const completing = ({ words, keywords }) => {
  const fields = words.filter(({ of }) => of !== "function").map(option);
  const byOwner = new Map();
  for (const word of words) byOwner.set(word.of, [...(byOwner.get(word.of) ?? []), option(word)]);
  const functions = (byOwner.get("function") ?? []).concat(keywords.map((label) => ({ label, type: "keyword" })));
  return (context) => {
    const field = context.matchBefore(/[\p{L}_][\p{L}\p{N}_]*\s*\.\s*[\p{L}\p{N}_]*/u);
    if (field) {
      const [, owner, begun] = /^(\S+?)\s*\.\s*(\S*)$/.exec(field.text);
      return { from: context.pos - begun.length, options: byOwner.get(owner) ?? fields, validFor: /^[\p{L}\p{N}_]*$/u };
    }
    const word = context.matchBefore(/[\p{L}_][\p{L}\p{N}_]*/u);
    if (!word && !context.explicit) return null;
    const there = completeAnyWord(context)?.options ?? [];
    const known = new Set(functions.map(({ label }) => label));
    const options = functions.concat(there.filter(({ label }) => !known.has(label)));
    return { from: word?.from ?? context.pos, options, validFor: /^[\p{L}\p{N}_]*$/u };
  };
};

/** The language with highlighting, and completion from its tables of words and keywords. */
export const language = (known) => [
  new LanguageSupport(rhai(known.keywords)),
  syntaxHighlighting(colours),
  autocompletion({ override: [completing(known)], icons: false }),
];
