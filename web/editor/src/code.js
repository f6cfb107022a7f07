// The field that a script is written in: CodeMirror with the language, numbers of lines, and mistakes under
// their words. It stands in a shadow root, since its styles come as sheets, which the page's security policy
// allows there (static sheets aside, a page of ours has no styles but those it loads).

import { closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, indentOnInput, indentUnit } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { getChunks, goToNextChunk, goToPreviousChunk, unifiedMergeView } from "@codemirror/merge";
import { Compartment, EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, highlightSpecialChars, keymap, lineNumbers } from "@codemirror/view";
import { language, wordsAt } from "./rhai.js";

const MONO = "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace";

const look = EditorView.theme({
  "&": { height: "100%", borderRadius: "inherit", color: "var(--text)", backgroundColor: "var(--bg)", fontSize: "13px" },
  "&.cm-focused": { outline: "none" },
  // Above the gutter, which an outline would lie below.
  "&.cm-focused::after": { content: "''", position: "absolute", inset: "0", border: "2px solid var(--focus)", borderRadius: "inherit", pointerEvents: "none", zIndex: "300" },
  ".cm-scroller": { fontFamily: MONO, lineHeight: "1.5" },
  ".cm-content": { caretColor: "var(--text)", padding: "6px 0" },
  ".cm-gutters": { backgroundColor: "var(--surface)", color: "var(--faint)", border: "0" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "color-mix(in srgb, var(--accent) 9%, transparent)" },
  ".cm-cursor": { borderLeftColor: "var(--text)", borderLeftWidth: "2px" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "color-mix(in srgb, var(--accent) 30%, transparent)",
  },
  ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": { backgroundColor: "color-mix(in srgb, var(--accent) 25%, transparent)" },
  ".cm-tooltip": { backgroundColor: "var(--raised)", border: "1px solid var(--line)", borderRadius: "6px", color: "var(--text)" },
  ".cm-tooltip-autocomplete > ul": { fontFamily: MONO },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--on-accent)" },
  ".cm-tooltip-autocomplete > ul > li[aria-selected] .cm-completionDetail": { color: "var(--on-accent)" },
  ".cm-completionDetail": { color: "var(--faint)", fontStyle: "normal" },
  ".cm-completionInfo": { padding: "6px 9px", maxWidth: "34ch", fontFamily: "system-ui, sans-serif" },
  ".cm-lintRange-error": { backgroundImage: "none", textDecoration: "underline wavy var(--bad)", textUnderlineOffset: "3px" },
  ".cm-diagnostic-error": { borderLeftColor: "var(--bad)" },
  // Tints so faint that all colours of words can be read on them: what differs within a line has a line of its own.
  "&.cm-merge-b .cm-changedLine, &.cm-merge-b .cm-insertedLine": { backgroundColor: "color-mix(in srgb, var(--good) 6%, transparent)" },
  "&.cm-merge-b .cm-changedLine.cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--good) 6%, transparent)" },
  "&.cm-merge-b .cm-changedText": { background: "none", borderBottom: "2px solid var(--good)" },
  "&.cm-merge-b .cm-changedLineGutter": { background: "var(--good)" },
  "&.cm-merge-b .cm-deletedLineGutter": { background: "var(--bad)" },
  ".cm-deletedChunk": { backgroundColor: "color-mix(in srgb, var(--bad) 6%, transparent)", paddingLeft: "6px", color: "var(--text)" },
  "&.cm-merge-b .cm-deletedChunk .cm-deletedText, .cm-deletedChunk .cm-deletedText": { background: "none", borderBottom: "2px solid var(--bad)" },
  ".cm-deletedChunk del, .cm-deletedLine del": { textDecoration: "none" },
  ".cm-lint-marker-error": { content: '"●"', color: "var(--bad)", fontSize: "10px" },
});

/** A place of an error, counted from 1 in lines and letters, as a range of the text. */
const range = (doc, { line, column }) => {
  const at = doc.line(Math.min(Math.max(line ?? 1, 1), doc.lines));
  const letters = [...at.text].slice(0, Math.max((column ?? 1) - 1, 0)).join("").length;
  const begin = Math.min(at.from + (column ? letters : 0), at.to);
  const word = /^[\p{L}\p{N}_]+|^\S/u.exec(at.text.slice(begin - at.from))?.[0].length ?? 0;
  const from = word || begin > at.from ? begin : at.from;
  return column && word ? { from, to: from + word } : { from: at.from, to: at.to };
};

/** Where several lines are typed over, browsers write styles into them, which the policy forbids. */
const typedOver = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    const { state, composing } = view;
    const { from, to } = state.selection.main;
    const isHere = state.doc.lineAt(from).to >= to && !event.data?.includes("\n");
    if (event.inputType !== "insertText" || event.data === null || composing || isHere) return false;
    event.preventDefault();
    view.dispatch(state.replaceSelection(state.toText(event.data)), { userEvent: "input.type", scrollIntoView: true });
    return true;
  },
});

/**
 * The field within `host`. `known` has the language's `words` and `keywords`, and `habit(text)` says how likely a word is; `changed(text)`
 * hears of every change by hand, and `at(words)` of what stands under the cursor.
 * Out: `text()`, `fill(text)` (one step, to be undone), `insert(example, isTop)`, `compare(text)` with another version (null: none),
 * `mark(errors)`, `focus()`, `end()`.
 */
export const field = (host, known, { habit, changed, at }) => {
  const root = host.attachShadow({ mode: "open" });
  const comparing = new Compartment();
  let isFilling = false;
  let compared = null;
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      extensions: [
        lineNumbers(),
        lintGutter(),
        highlightSpecialChars(),
        history(),
        drawSelection(),
        indentUnit.of("    "),
        indentOnInput(),
        bracketMatching(),
        closeBrackets(),
        highlightActiveLine(),
        EditorView.lineWrapping,
        keymap.of([...closeBracketsKeymap, ...completionKeymap, ...lintKeymap, ...historyKeymap, ...defaultKeymap, indentWithTab]),
        language(known, habit),
        comparing.of([]),
        typedOver,
        look,
        EditorView.contentAttributes.of({
          "aria-label": "The scheduler's script. Tab indents; press Escape, then Tab, to leave",
          autocapitalize: "off",
          autocorrect: "off",
          spellcheck: "false",
          tabindex: "0",
        }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged && !isFilling) changed(update.state.doc.toString());
          if (update.docChanged || update.selectionSet) at(wordsAt(update.state.doc.toString(), update.state.selection.main.head, known.words));
        }),
      ],
    }),
  });
  // The page's keys are not meant while something is written.
  host.addEventListener("keydown", (event) => event.stopPropagation());
  return {
    text: () => view.state.doc.toString(),
    fill: (text) => {
      isFilling = true;
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
      isFilling = false;
    },
    insert: (example, isTop) => {
      const { state } = view;
      const { from, to } = state.selection.main;
      const line = state.doc.lineAt(from);
      const isStatement = /[;}]$/.test(example);
      let change = { from, to, insert: example };
      if (isTop) {
        // Below what is said at the head.
        let top = 1;
        while (top < state.doc.lines && /^\s*\/\//.test(state.doc.line(top).text)) top += 1;
        const place = state.doc.line(top).from;
        change = { from: place, to: place, insert: `${example}\n` };
      } else if (isStatement && from === to) {
        const [margin] = /^\s*/.exec(line.text);
        const isEmpty = line.text.trim() === "";
        // Behind a bracket that opens it is one step further in.
        const step = /\{\s*$/.test(line.text) ? "    " : "";
        change = isEmpty ? { from: line.from, to: line.to, insert: margin + example } : { from: line.to, to: line.to, insert: `\n${margin}${step}${example}` };
      }
      view.dispatch({ changes: change, selection: { anchor: change.from + change.insert.replace(/\n$/, "").length }, userEvent: "input.paste", scrollIntoView: true });
      view.focus();
    },
    compare: (text) => {
      if (text === compared) return;
      compared = text;
      const shown = text === null ? [] : unifiedMergeView({ original: text, mergeControls: false, syntaxHighlightDeletions: false, gutter: true });
      view.dispatch({ effects: comparing.reconfigure(shown) });
    },
    /** In how many places the text differs from the one that it is compared with. */
    differences: () => getChunks(view.state)?.chunks.length ?? 0,
    nextDifference: () => goToNextChunk(view) && view.focus(),
    previousDifference: () => goToPreviousChunk(view) && view.focus(),
    mark: (errors) => {
      const found = errors.map((error) => ({ ...range(view.state.doc, error), severity: "error", message: error.message }));
      view.dispatch(setDiagnostics(view.state, found));
    },
    show: (error) => {
      view.dispatch({ selection: { anchor: range(view.state.doc, error).from }, scrollIntoView: true });
      view.focus();
    },
    focus: () => view.focus(),
    end: () => view.destroy(),
  };
};
