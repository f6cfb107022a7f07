// The panel beside the yard: a name, examples to start from and one's own files, the text, what is wrong with it and where,
// what it changed in figures, and the challenges; beside the text the reference, the course, or what it changed job by job. A sound
// text runs at once, as one scheduler of the page's list; the version it began with stays in the list as another, until the
// author keeps the new one or drops it.
//
// In: the page's schedulers as they are, looked at whenever they change. Out: schedulers added, changed and
// removed; each has a worker of its own, and so has the check, so that typing waits for nobody.

import METRICS from "../../../core/report/metrics.json" with { type: "json" };
import { check, describe, giveUpCheck, giveUpScore, read, score } from "./author.js";
import { changes } from "./changes.js";
import { challengesIn, interval, tenth } from "./challenges.js";
import { field } from "./code.js";
import { course } from "./course.js";
import { draft, keep } from "./draft.js";
import { button, made } from "./elements.js";
import { file as fileOf, files, keepFile, putBack, removeFile } from "./files.js";
import { habits } from "./likely.js";
import * as page from "./page.js";
import { reference } from "./reference.js";

/** A text runs so long after the last key. */
const PAUSE_MS = 350;
/** Completion learns from so many files, each shorter than so many letters. */
const LEARNED = 12;
const LONG = 8_000;
/** There is room for something beside the text, CSS pixels of the window. */
const WIDE = 1200;

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
  /** The number of the file that it is kept in; null: nothing has been typed yet. */
  let own = null;
  /** How many texts are being checked. */
  let checked = 0;
  /** What stands beside the text: the name of a pane, or "". */
  let aside = "";

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
  const owned = made("select");
  owned.setAttribute("aria-label", "Your files");
  const removeIt = button("Remove", () => removeOwn(), { title: "Removes this file; the scheduler stays in the list" });
  const stop = button("Stop", () => stopIt(), { title: "Ends the run, or the check of the text", disabled: true });
  const host = made("div", { className: "code" });
  const said = made("p", { className: "said hint" });
  said.setAttribute("role", "status");
  const wrong = made("p", { className: "wrong", hidden: true });
  wrong.setAttribute("role", "alert");
  const keepIt = made("button", { type: "button", className: "primary", title: "The version before leaves the list" }, "Keep");
  const dropIt = made("button", { type: "button", title: "Back to the version before" }, "Drop");
  const decide = made("div", { className: "row", hidden: true }, keepIt, dropIt);
  const undone = made("p", { className: "hint", hidden: true });
  undone.setAttribute("role", "status");
  const table = made("table", { hidden: true });
  const contest = made("details", { className: "challenges" });
  const beside = made("section", { className: "beside", id: "editor-beside", hidden: true });
  const root = made(
    "section",
    { className: "editor" },
    made("div", { className: "row" }, made("h2", { id: "editor-title" }, "Scheduler"), nameField, close),
    made("div", { className: "row" }, examples, owned, removeIt),
    made("div", { className: "row panes" }),
    made("div", { className: "desk" }, host, beside),
    undone,
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

  const remember = (open = true) => {
    keep({ open, text: code.text(), name, live: sent, kept: cardOf(kept)?.spec ?? "", file: own, aside });
    const file = own === null ? null : fileOf(own);
    if (file && (file.text !== code.text() || file.name !== name)) keepOwn(own);
  };
  /** Keeps the text as a file: this one, or a new one. */
  const keepOwn = (id) => {
    const written = keepFile(id, name, code.text());
    if (!written) {
      undone.textContent = "This browser keeps no more files. The link still has the last version that ran.";
      undone.hidden = false;
      return;
    }
    own = written.id;
    listOwn();
  };
  const listOwn = () => {
    const all = files();
    const key = JSON.stringify([own, ...all.map(({ id, name }) => [id, name])]);
    removeIt.hidden = own === null || !all.some(({ id }) => id === own);
    owned.hidden = all.length === 0;
    if (key === filesShown) return;
    filesShown = key;
    const none = all.some(({ id }) => id === own) ? null : made("option", { value: "" }, "Your files…");
    owned.replaceChildren(...[none, ...all.map(({ id, name }) => made("option", { value: `${id}` }, name))].filter(Boolean));
    owned.value = none ? "" : `${own}`;
  };
  let filesShown = "";
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
    checked += 1;
    atWork();
    const { error, spec } = await check(text, name, before?.spec ?? "").catch(unchecked);
    checked -= 1;
    atWork();
    if (mine !== turn) return;
    show(error ?? null);
    if (error) return say(ran ? "The last version that ran stays." : "");
    if (before && kept === null) versions.set(before.spec, ran);
    ran = text;
    if (spec === before?.spec) return look();
    // What has been opened again may be in the list already.
    const same = before ? null : page.cards().find((card) => card.spec === spec);
    if (same) {
      [live, sent] = [same.id, spec];
      remember();
      return look();
    }
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

  // Stopped, and run again

  const atWork = () => {
    const now = cardOf(live);
    const isOn = checked > 0 || now?.status === "running" || now?.status === "idle";
    const isOver = !isOn && now?.status === "cancelled";
    stop.disabled = !isOn && !isOver;
    stop.textContent = isOver ? "Run again" : "Stop";
  };
  const stopIt = () => {
    const now = cardOf(live);
    if (checked) giveUpCheck();
    else if (now?.status === "cancelled") page.put(live, sent);
    else if (now) page.cancel(live);
  };

  const changed = (text) => {
    if (own === null || fileOf(own) === null) keepOwn(null);
    remember();
    endScore("The text has changed: score it again.");
    clearTimeout(timer);
    timer = setTimeout(() => run(text), PAUSE_MS);
  };
  /** What is likely in a text hangs on what one has written before: in the last few files, of which none is too long to be looked through. */
  const habit = (text) => {
    const others = files().filter((file) => file.id !== own && file.text.length < LONG);
    return habits(known.examples.map((example) => example.text), others.slice(-LEARNED).map((file) => file.text), text);
  };
  const code = field(host, known, { habit, changed, at: (words) => words.length && panes.reference.show(words) });

  // Beside the text

  /** The texts of versions before, by their specs. */
  const versions = new Map();
  const textOf = async (spec) => {
    if (!versions.has(spec)) versions.set(spec, (await read(spec).catch(() => ({ text: "" }))).text);
    return versions.get(spec);
  };
  const panes = {
    reference: reference(known, (word) => code.insert(word.example, word.of === "constant")),
    course: course(known, {
      write: (text, called) => startWith(text, called),
      replace: (text) => {
        code.fill(text);
        changed(text);
      },
      resume: () => run(code.text()),
      settle: () => kept !== null && keepIt.click(),
    }),
    changes: changes(code),
  };
  const TITLES = { reference: "Reference", course: "Teach me", changes: "Changes" };
  const toggles = Object.keys(panes).map((pane) => {
    const toggle = button(TITLES[pane], () => {
      showBeside(aside === pane ? "" : pane);
      // On a narrow screen it stands below the text.
      beside.scrollIntoView({ block: "nearest" });
    });
    toggle.setAttribute("aria-controls", beside.id);
    toggle.dataset.pane = pane;
    return toggle;
  });
  root.querySelector(".panes").append(...toggles, stop);
  const putBeside = (pane) => {
    aside = Object.hasOwn(panes, pane) ? pane : "";
    for (const toggle of toggles) toggle.setAttribute("aria-pressed", `${toggle.dataset.pane === aside}`);
    beside.hidden = !aside;
    beside.setAttribute("aria-label", TITLES[aside] ?? "");
    beside.replaceChildren(...(aside ? [panes[aside].root] : []));
    if (aside !== "changes") code.compare(null);
  };
  const showBeside = (pane) => {
    putBeside(pane);
    remember();
    look();
  };
  /** Shows in the panes what has come of the text. */
  const lookBeside = async (now, old) => {
    const isNow = now?.status === "done" && now.spec === sent && code.text() === ran;
    if (aside === "course") panes.course.show(isNow ? now : null);
    if (aside !== "changes") return;
    const text = old && page.isScript(old.spec) ? await textOf(old.spec) : null;
    if (aside !== "changes" || !root.isConnected) return;
    code.compare(text);
    panes.changes.show({ before: text === null ? null : old, now: isNow ? now : null });
  };

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
    atWork();
    lookBeside(now, old);
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

  /** What is written from now on is this, as one more scheduler, kept in the file of this number. */
  const startWith = async (text, called, id = null) => {
    clearTimeout(timer);
    turn += 1;
    [live, kept, own] = [null, null, id];
    begin(text, page.plain(called));
    remember();
    listOwn();
    await run(text);
  };
  owned.onchange = async () => {
    const chosen = fileOf(Number(owned.value));
    if (!chosen || chosen.id === own) return;
    await startWith(chosen.text, chosen.name, chosen.id);
    look();
    code.focus();
  };
  const removeOwn = () => {
    const gone = removeFile(own);
    if (!gone) return;
    own = null;
    remember();
    listOwn();
    const back = button("Put it back", () => {
      putBack(gone);
      if (own === null && code.text() === gone.text) own = gone.id;
      remember();
      listOwn();
      undone.hidden = true;
      owned.focus();
    });
    undone.replaceChildren(`“${gone.name}” is removed from your files. `, back);
    undone.hidden = false;
    back.focus();
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
          ? [...["jct_mean", "jct_p95"].map((id) => page.inWords(id, scored.own[id])), tenth(scored.score), interval(scored), tenth(scored.srtf_score)]
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
        : `Score ${tenth(result.score)} (95 % interval ${interval(result)}). 100 is Tiresias’, ${tenth(result.srtf_score)} SRTF’s. Draw ${result.draw}.`;
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
    if (file === "teach") {
      if (panes.course.isBegun()) await open();
      else await panes.course.begin();
      return showBeside("course");
    }
    if (file) {
      await startWith(file.text, file.name);
      keepOwn(null);
      look();
      return code.focus();
    }
    const held = draft();
    const card = id === undefined ? null : cardOf(id);
    if (card && card.id !== live) {
      live = card.id;
      await adopt(card);
      // It is in a file already, if it has been written here.
      own = files().find((one) => one.text === ran && one.name === name)?.id ?? (held?.live === card.spec ? ownOf(held) : null);
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
      own = ownOf(held);
      begin(held.text, held.name);
      await run(held.text);
    } else if (!card && live === null) {
      await start(known.examples[0]);
    }
    listOwn();
    look();
    code.focus();
  };
  /** The file of what was written last; it becomes one if it is none, and no example. */
  const ownOf = (held) => {
    if (fileOf(held.file)) return held.file;
    const isExample = known.examples.some(({ text }) => text === held.text);
    return isExample ? null : (keepFile(null, held.name, held.text)?.id ?? null);
  };

  // Nothing is kept before something is opened: what was written last still lies there.
  listOwn();
  putBeside(draft()?.aside ?? (innerWidth >= WIDE ? "reference" : ""));
  return { open, onEnd: (then) => (ended = then) };
};

const unchecked = (why) => ({ error: { message: `It could not be checked: ${why.message}.` } });
