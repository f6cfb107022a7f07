// The panel beside the yard: a name, examples to start from, the text, what is wrong with it and where, what
// it changed in figures, and the challenges. A sound text runs at once, as one scheduler of the page's list;
// the version it began with stays in the list as another, until the author keeps the new one or drops it.
//
// In: the page's schedulers as they are, looked at whenever they change. Out: schedulers added, changed and
// removed; each has a worker of its own, and so has the check, so that typing waits for nobody.

import METRICS from "../../../core/report/metrics.json" with { type: "json" };
import { check, describe, giveUpScore, read, score } from "./author.js";
import { challengesIn } from "./challenges.js";
import { field } from "./code.js";
import { draft, keep } from "./draft.js";
import * as page from "./page.js";

/** A text runs so long after the last key. */
const PAUSE_MS = 350;

const made = (name, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children.filter((child) => child !== null));
  return element;
};

const interval = ({ low, high }) => `${low.toFixed(1)} to ${high.toFixed(1)}`;
const wordsOf = (id) => METRICS.find((metric) => metric.id === id).words;
/** What is compared, by the metrics' ids. */
const FIGURES = ["jct_mean", "jct_p95", "rho_mean"];
const percent = (before, now) => {
  if (before === now) return "same";
  const change = (now / before - 1) * 100;
  return `${change < 0 ? "−" : "+"}${Math.abs(change).toFixed(Math.abs(change) < 10 ? 1 : 0)} %`;
};

/** The place that an error names, if it does ("line 3, column 5: …"), and what stands behind it. */
const placed = (words) => {
  const [, line, column, message] = /\bline (\d+), column (\d+): (.*)$/s.exec(words) ?? [];
  return { message: message ?? words, line: Number(line) || null, column: Number(column) || null };
};

export const panel = async (place) => {
  const known = await describe();

  // What is being written: the text; the scheduler that runs it; and the one that it began with.
  let live = null;
  let kept = null;
  let name = "";
  let sent = "";
  let ran = "";
  let mistake = null;
  let timer = 0;
  let turn = 0;

  const nameField = made("input", { type: "text", maxLength: 40, placeholder: "Script" });
  nameField.setAttribute("aria-label", "Name of the scheduler");
  const close = made("button", { type: "button", className: "quiet", title: "Close: the scheduler stays" }, "Close");
  const examples = made(
    "select",
    {},
    made("option", { value: "" }, "Start from…"),
    ...known.examples.map(({ name, title, about }) => made("option", { value: name, title: about }, title)),
  );
  examples.setAttribute("aria-label", "Start from an example");
  const host = made("div", { className: "code" });
  const said = made("p", { className: "said hint" });
  said.setAttribute("role", "status");
  const wrong = made("p", { className: "wrong", hidden: true });
  wrong.setAttribute("role", "alert");
  const keepIt = made("button", { type: "button", className: "primary", title: "The version before leaves the list" }, "Keep");
  const dropIt = made("button", { type: "button", title: "Back to the version before" }, "Drop");
  const decide = made("div", { className: "row", hidden: true }, keepIt, dropIt);
  const table = made("table", { hidden: true });
  const contest = made("details", { className: "challenges" });
  const root = made(
    "section",
    { className: "editor" },
    made("div", { className: "row" }, made("h2", { id: "editor-title" }, "Scheduler"), nameField, close),
    made("div", { className: "row" }, examples),
    host,
    wrong,
    said,
    decide,
    table,
    contest,
    made("p", { className: "hint" }, "Tab indents; press Esc, then Tab, to leave the text. Ctrl+Space completes."),
  );
  root.setAttribute("aria-labelledby", "editor-title");
  place.replaceChildren(root);
  // The page's keys are not meant while something is written.
  root.addEventListener("keydown", (event) => event.key !== "Escape" && event.stopPropagation());

  const remember = (open = true) => keep({ open, text: code.text(), name, live: sent, kept: cardOf(kept)?.spec ?? "" });
  const cardOf = (id) => page.cards().find((card) => card.id === id) ?? null;

  const say = (words) => {
    if (said.textContent !== words) said.textContent = words;
  };
  const show = (error) => {
    if (error?.message === mistake?.message && error?.line === mistake?.line) return;
    mistake = error;
    code.mark(error ? [error] : []);
    wrong.hidden = !error;
    if (!error) return wrong.replaceChildren();
    const where = error.line ? made("button", { type: "button", className: "quiet" }, `Line ${error.line}`) : null;
    if (where) where.onclick = () => code.show(error);
    wrong.replaceChildren(...(where ? [where, " "] : []), error.message);
  };

  /** Runs the text, beside the version that it began with. */
  const run = async (text) => {
    const mine = (turn += 1);
    const before = cardOf(live);
    const { error, spec } = await check(text, name, before?.spec ?? "").catch(unchecked);
    if (mine !== turn) return;
    show(error ?? null);
    if (error) return say(ran ? "The last version that ran stays." : "");
    ran = text;
    if (spec === before?.spec) return look();
    // The first change of a version leaves it where it is.
    const isNew = !before || kept === null;
    const why = page.put(isNew ? null : live, spec);
    if (why) return show({ message: why });
    sent = spec;
    if (isNew) {
      if (before) {
        kept = before.id;
        page.rename(kept, `${title()}, before`);
      }
      // It stands at the end.
      live = page.cards().findLast((card) => card.spec === spec && card.id !== kept)?.id ?? null;
    }
    remember();
    look();
  };
  const title = () => name || "Script";

  const changed = (text) => {
    remember();
    endScore("The text has changed: score it again.");
    clearTimeout(timer);
    timer = setTimeout(() => run(text), PAUSE_MS);
  };
  const code = field(host, known, changed);

  /** What is written from now on is this. */
  const begin = (text, called) => {
    endScore("");
    name = called;
    nameField.value = called;
    code.fill(text);
  };

  // What comes of it

  const RUNNING = { idle: "waits for its turn", running: "runs", done: "has run", cancelled: "was cancelled", failed: "has failed" };
  const look = () => {
    const all = page.cards();
    const now = all.find(({ id }) => id === live) ?? null;
    if (live !== null && !now) live = null;
    const old = all.find(({ id }) => id === kept) ?? null;
    if (kept !== null && !old) kept = null;
    decide.hidden = !(now && old);
    if (now && now.spec !== sent && !page.isScript(now.spec)) live = null;
    else if (now && now.spec !== sent) adopt(now);
    if (now && code.text() === ran && now.spec === sent) {
      if (now.status === "failed") show(placed(now.why));
      else if (mistake && now.status === "done") show(null);
      say(`${now.name} ${RUNNING[now.status] ?? ""}.`);
    }
    tell(old ?? all.find((card) => card.id !== live && card.figures) ?? null, now);
  };

  /** The history or a link has put another version in its place. */
  const adopt = async (card) => {
    sent = card.spec;
    const { text, name } = await read(card.spec);
    ran = text;
    begin(text, name);
    show(null);
  };

  let told = "";
  const tell = (old, now) => {
    const rows = FIGURES.map((id) => {
      const [before, after] = [old?.figures?.[id], now?.figures?.[id]];
      // Means are compared where both runs have finished all jobs.
      const isKnown = Number.isFinite(before) && Number.isFinite(after) && !old.left && !now.left;
      const cell = (value) => page.inWords(id, value ?? NaN);
      return [wordsOf(id), cell(before), cell(after), isKnown ? percent(before, after) : "–", isKnown ? Math.sign(after - before) : 0];
    });
    const heads = [old?.name ?? "–", now?.name ?? title(), "change"];
    const left = [old?.left ?? "", now?.left ?? ""];
    const text = JSON.stringify([heads, rows, left]);
    table.hidden = !(old?.figures || now?.figures);
    if (text === told) return;
    told = text;
    const head = made("tr", {}, made("td"), ...heads.map((words) => made("th", { scope: "col" }, words)));
    const unfinished = left.some(Boolean)
      ? made("tr", { className: "left" }, made("th", { scope: "row" }, "jobs"), ...left.map((words) => made("td", {}, words || "all finished")), made("td", {}, "–"))
      : null;
    const lines = rows.map(([label, before, after, change, sign]) =>
      made(
        "tr",
        {},
        made("th", { scope: "row" }, label),
        made("td", {}, before),
        made("td", {}, after),
        made("td", { className: sign < 0 ? "better" : sign > 0 ? "worse" : "" }, change),
      ),
    );
    const caption = left.some(Boolean)
      ? "A run that leaves jobs behind is not compared: its numbers are of the jobs that finished."
      : "Less is better, of all three.";
    table.replaceChildren(made("caption", {}, caption), made("thead", {}, head), made("tbody", {}, ...[unfinished].filter(Boolean), ...lines));
  };

  keepIt.onclick = () => {
    if (kept !== null) page.remove(kept);
    kept = null;
    remember();
    code.focus();
    look();
  };
  dropIt.onclick = async () => {
    const old = cardOf(kept);
    if (!old) return;
    clearTimeout(timer);
    turn += 1;
    const left = live;
    [live, kept] = [kept, null];
    page.rename(old.id, "");
    if (left !== null) page.remove(left);
    await adopt(old);
    remember();
    code.focus();
  };
  nameField.onchange = () => {
    name = page.plain(nameField.value);
    nameField.value = name;
    changed(code.text());
  };
  examples.onchange = async () => {
    const example = known.examples.find(({ name }) => name === examples.value);
    examples.value = "";
    if (!example) return;
    await start(example);
    code.focus();
  };

  /** An example opens beside the policy that it is equal to. */
  const start = async (example) => {
    const is = (card) => example.builtin && card.spec === example.builtin;
    if (example.builtin && !page.cards().some(is)) page.put(null, example.builtin);
    await startWith(example.text, `My ${example.title}`);
  };

  /** What is written from now on is this, as one more scheduler. */
  const startWith = async (text, called) => {
    clearTimeout(timer);
    turn += 1;
    [live, kept] = [null, null];
    begin(text, page.plain(called));
    remember();
    await run(text);
  };

  // Challenges

  const verdict = made("p", { className: "said hint" });
  verdict.setAttribute("role", "status");
  const challengeRows = made("tbody");
  const SCORE_IT = "Score it on all ten";
  const scoreIt = made("button", { type: "button" }, SCORE_IT);
  /** The score that is being made, if one is. */
  let underWay = null;
  /** Gives it up, with a word on why; the next one does not wait for it. */
  const endScore = (words) => {
    if (!underWay) return;
    underWay = null;
    giveUpScore();
    scoreIt.textContent = SCORE_IT;
    verdict.textContent = words;
  };
  const linkOf = async (challenge) => {
    const { error, links } = await check(code.text(), name, "").catch(unchecked);
    if (error) show(error);
    return error ? null : links[challenge.name];
  };
  const listed = (scores = new Map()) =>
    challengeRows.replaceChildren(
      ...known.challenges.map((challenge) => {
        const open = made("button", { type: "button", className: "quiet", title: `${challenge.about} Opens with the script beside SRTF and Tiresias.` }, challenge.title);
        open.onclick = async () => {
          const link = await linkOf(challenge);
          if (link) page.follow(link);
        };
        const copy = made("button", { type: "button", className: "quiet", title: "A link that runs it again" }, "Link");
        copy.setAttribute("aria-label", `Copy a link to ${challenge.title} with this script`);
        copy.onclick = async () => {
          const link = await linkOf(challenge);
          if (!link) return;
          const address = `${location.href.split("#")[0]}#${link}`;
          const isCopied = await navigator.clipboard.writeText(address).then(() => true, () => false);
          verdict.textContent = isCopied ? "Copied." : "This browser does not let the page copy: open it and take the address.";
        };
        const scored = scores.get(challenge.name);
        const cells = scored
          ? [...["jct_mean", "jct_p95"].map((id) => page.inWords(id, scored.own[id])), scored.score.toFixed(1), interval(scored), scored.srtf_score.toFixed(1)]
          : ["–", "–", "–", "–", "–"];
        return made("tr", {}, made("th", { scope: "row" }, open), ...cells.map((words) => made("td", {}, words)), made("td", {}, copy));
      }),
    );
  const drawField = made("input", { type: "text", inputMode: "numeric", size: 14, placeholder: "new workloads" });
  const drawLabel = made("label", { title: "The number that a score was given with: the same number, the same workloads and the same score" }, "Draw ", drawField);
  scoreIt.onclick = async () => {
    if (underWay) return endScore("Cancelled: nothing is scored.");
    const words = drawField.value.replace(/[\s,.]/g, "");
    const draw = words === "" ? null : Number(words);
    if (draw !== null && !(/^\d+$/.test(words) && draw <= known.most_draw)) {
      verdict.textContent = `A draw is a whole number from 0 to ${known.most_draw}. Without one the workloads are new.`;
      return;
    }
    const mine = (underWay = {});
    scoreIt.textContent = "Cancel";
    verdict.textContent = "The script, SRTF and Tiresias run all workloads…";
    try {
      const { error, score: result } = await score(code.text(), name, draw);
      if (mine !== underWay) return;
      verdict.textContent = error
        ? `No score: ${error.message}.`
        : `Score ${result.score.toFixed(1)} (95 % interval ${interval(result)}). 100 is Tiresias’, ${result.srtf_score.toFixed(1)} SRTF’s. Draw ${result.draw}.`;
      if (error) show(error.line ? error : placed(error.message));
      else {
        listed(new Map(result.challenges.map((scored) => [scored.name, scored])));
        showScores(result.challenges);
      }
    } catch (why) {
      if (mine !== underWay) return;
      verdict.textContent = `It could not be scored: ${why.message}.`;
    }
    underWay = null;
    scoreIt.textContent = SCORE_IT;
  };
  let showScores = () => {};
  if (known.challenges.length) {
    listed();
    const heads = ["Workload", wordsOf("jct_mean"), wordsOf("jct_p95"), "score", "95 %", "SRTF’s"].map((words) => made("th", { scope: "col" }, words));
    contest.replaceChildren(
      made("summary", {}, "Challenges"),
      made("p", { className: "hint" }, "Ten kinds of workloads, no oracle. Press one to open a workload to try the script on. The score is over others of each kind, which are drawn anew each time, or from the draw that you write. It sets what counts against Tiresias’: 100 is as good, more is better."),
      made("table", {}, made("thead", {}, made("tr", {}, ...heads, made("td"))), challengeRows),
      made("div", { className: "row" }, scoreIt, drawLabel),
      verdict,
    );
    showScores = challengesIn(contest, known.challenges, page.follow);
  } else contest.hidden = true;

  // Opened and closed

  const endLooks = page.onChange(look);
  const end = () => {
    endLooks();
    clearTimeout(timer);
    endScore("");
    remember(false);
    code.end();
    place.replaceChildren();
  };
  const written = () => remember();
  addEventListener("pagehide", written);
  close.onclick = () => {
    removeEventListener("pagehide", written);
    end();
    ended();
  };
  let ended = () => {};

  /** A file; a scheduler of the list; what was written last; or, for whoever begins, the first example. */
  const open = async (id, file) => {
    if (file) {
      await startWith(file.text, file.name);
      look();
      return code.focus();
    }
    const held = draft();
    const card = id === undefined ? null : cardOf(id);
    if (card && card.id !== live) {
      live = card.id;
      await adopt(card);
      kept = page.cards().find((other) => other.given === `${title()}, before`)?.id ?? null;
      // What was not sound when the page was left is still there.
      if (held?.live === card.spec && held.text !== ran) {
        begin(held.text, held.name);
        changed(held.text);
      }
    } else if (!card && held?.text && live === null) {
      const spec = (text) => text && page.cards().find((other) => other.spec === text);
      const [mine, old] = [spec(held.live), spec(held.kept)];
      if (mine) {
        live = mine.id;
        await adopt(mine);
        kept = old ? old.id : null;
      }
      begin(held.text, held.name);
      await run(held.text);
    } else if (!card && live === null) {
      await start(known.examples[0]);
    }
    look();
    code.focus();
  };

  return { open, onEnd: (then) => (ended = then) };
};

const unchecked = (why) => ({ error: { message: `It could not be checked: ${why.message}.` } });
