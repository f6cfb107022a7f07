// Rhai for CodeMirror: what stands for what, and what can be written next.

import { autocompletion, completeAnyWord } from "@codemirror/autocomplete";
import { HighlightStyle, LanguageSupport, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { tags } from "@lezer/highlight";
import { bare, chainBefore, kindOf, tokenBefore } from "./likely.js";

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

/**
 * What may follow, the likeliest first: fields after a dot, else functions, constants, keywords, and words that stand there already.
 * `habit(text)` gives how likely a word is after another, as `habits` does.
 */
const completing = ({ words, keywords }, habit) => {
  const fields = words.filter(({ of }) => !["function", "constant", "statement"].includes(of)).map(option);
  const byOwner = new Map();
  for (const word of words) byOwner.set(word.of, [...(byOwner.get(word.of) ?? []), option(word)]);
  const functions = (byOwner.get("function") ?? []).concat(keywords.map((label) => ({ label, type: "keyword" })));
  const constants = words.filter(({ of }) => of === "constant");
  return (context) => {
    const doc = context.state.doc.toString();
    const before = bare(doc.slice(0, context.pos));
    const likely = habit(doc);
    const ranked = (options, after) => options.map((of) => ({ ...of, boost: likely(of.label, after) }));
    const [begun] = /[\p{L}\p{N}_]*$/u.exec(before);
    const from = context.pos - begun.length;
    const stem = before.slice(0, before.length - begun.length);
    const validFor = /^[\p{L}\p{N}_]*$/u;
    const dot = /\.\s*$/.exec(stem);
    // Of `1.` or `0..n` nothing is a field.
    if (dot && !/[\d.]\s*\.\s*$/.test(stem)) {
      const owner = kindOf(chainBefore(stem.slice(0, dot.index)), stem, words);
      return { from, options: ranked(byOwner.get(owner) ?? fields, "."), validFor };
    }
    const word = context.matchBefore(/[\p{L}_][\p{L}\p{N}_]*/u);
    if (!word && !context.explicit) return null;
    const last = tokenBefore(stem);
    // At the top there are constants, with what they are set to.
    const isConst = last === "const";
    const isTop = isConst || /(^|\n)$/.test(stem);
    const there = completeAnyWord(context)?.options ?? [];
    const known = new Set(functions.map(({ label }) => label));
    const named = isTop ? constants.map((of) => ({ ...option(of), type: "constant", apply: isConst ? of.example.replace(/^const /, "") : of.example })) : [];
    const options = (isConst ? [] : functions.concat(there.filter(({ label }) => !known.has(label)))).concat(named);
    return { from, options: ranked(options, last), validFor };
  };
};

/**
 * What stands at a place, as words of the language's table: none, one, or several where it is not known of what kind its owner is.
 */
export const wordsAt = (doc, at, words) => {
  const text = bare(doc);
  const [left] = /[\p{L}\p{N}_]*$/u.exec(text.slice(0, at));
  const [right] = /^[\p{L}\p{N}_]*/u.exec(text.slice(at));
  const name = left + right;
  if (!name) return [];
  const stem = text.slice(0, at - left.length);
  const dot = /\.\s*$/.exec(stem);
  const isField = dot && !/\.\.\s*$/.test(stem);
  const all = words.filter((word) => word.name === name && Boolean(isField) === !["function", "constant", "statement"].includes(word.of));
  if (!isField) return all;
  const owner = kindOf(chainBefore(stem.slice(0, dot.index)), stem, words);
  const own = all.filter(({ of }) => of === owner);
  return own.length ? own : all;
};

/** The language with highlighting, and completion from its tables of words and keywords. */
export const language = (known, habit) => [
  new LanguageSupport(rhai(known.keywords)),
  syntaxHighlighting(colours),
  autocompletion({ override: [completing(known, habit)], icons: false }),
];
