// "Teach me": from FIFO to 2D-LAS in six edits. What is to be changed, and the goal, which the run itself reaches or does not:
// it is held against the run of the policy beside it. How far somebody has come is kept.

import METRICS from "../../../core/report/metrics.json" with { type: "json" };
import { button, made } from "./elements.js";
import * as page from "./page.js";

const KEY = "switchyard course";
/** The jobs that the goals are about. */
const SAMPLE = "lab";

/** `{ at, done }`: the edit shown, and how many are done; null: it has not begun. */
const held = (most) => {
  try {
    const { at, done } = JSON.parse(localStorage.getItem(KEY));
    const isOne = (value) => Number.isInteger(value) && value >= 0 && value <= most;
    return isOne(at) && isOne(done) && at < most ? { at, done } : null;
  } catch {
    return null;
  }
};
const keep = (progress) => {
  try {
    localStorage.setItem(KEY, JSON.stringify(progress));
  } catch {
    // It lasts as long as the page.
  }
};

const words = METRICS.find(({ id }) => id === "jct_mean").words;

/** Whether a run reaches a goal beside another, and what is said of it; both are complete. */
export const judged = (lesson, own, beside, inWords) => {
  const [mine, theirs] = [own.figures.jct_mean, beside.figures.jct_mean];
  if (lesson.same_log) {
    const isReached = own.log_hash === beside.log_hash;
    return { isReached, why: isReached ? "" : `Not yet: the logs differ. Your ${words} is ${inWords(mine)}, that of ${beside.name} ${inWords(theirs)}.` };
  }
  if (page.isOracle(own.spec)) return { isReached: false, why: "Not yet: your policy is an oracle." };
  if (own.left) return { isReached: false, why: `Not yet: ${own.left}.` };
  const most = lesson.jct_mean * theirs;
  if (mine > most) return { isReached: false, why: `Not yet: your ${words} is ${inWords(mine)}, and is to be at most ${inWords(most)}.` };
  const mostRestarts = lesson.restarts === null ? Infinity : lesson.restarts * beside.restarts;
  if (own.restarts > mostRestarts) return { isReached: false, why: `Not yet: your run has ${own.restarts} restarts, and is to have at most ${Math.floor(mostRestarts)}.` };
  return { isReached: true, why: "" };
};

/**
 * The pane. `write(text, name)` begins a scheduler, `replace(text)` puts another text in the place of what is written, `resume()` runs that
 * once more, `settle()` lets the version before go. Out: `root`, `begin()`, `isBegun()` and `show(own)`: the page's card of what is written, where it has run to its end.
 */
export const course = (known, { write, replace, resume, settle }) => {
  const lessons = known.course;
  let progress = held(lessons.length);
  let own = null;

  const isThere = () => new RegExp(`(^|&)sample=${SAMPLE}(&|$)`).test(page.link());
  /** The policy beside it, in the place of that of the last edit. */
  const putBeside = (former) => {
    const { beside } = lessons[progress.at];
    const all = page.cards();
    if (all.some(({ spec }) => spec === beside)) return;
    page.put(all.find(({ spec }) => spec === former)?.id ?? null, beside);
  };
  const open = () => page.followed(`v=1&sample=${SAMPLE}&run=${encodeURIComponent(lessons[progress?.at ?? 0].beside)}`);
  const begin = async () => {
    progress = { at: 0, done: 0 };
    keep(progress);
    await open();
    await write(known.start, "My scheduler");
    draw();
  };
  const go = (at) => {
    const former = lessons[progress.at].beside;
    progress.at = at;
    keep(progress);
    settle();
    putBeside(former);
    draw();
  };

  const root = made("div", { className: "course" });
  const state = made("p", { className: "state" });
  state.setAttribute("role", "status");
  const next = button("Next edit", () => {
    go(progress.at + 1);
    root.querySelector("[aria-current] h3")?.focus();
  }, { className: "primary" });
  const beside = button("Run it beside", () => putBeside(null));
  const sample = button("Open A lab’s day", () => open().then(resume));

  const lessonOf = (lesson, at) => {
    const isNow = at === progress.at;
    const isDone = at < progress.done;
    const sign = made("span", { className: "tick" }, isDone ? "✓" : `${at + 1}`);
    sign.setAttribute("aria-hidden", "true");
    const said = made("span", { className: "visually-hidden" }, isDone ? "done: " : "");
    if (!isNow) {
      const title = at <= progress.done ? button(lesson.title, () => go(at), { className: "quiet" }) : made("span", {}, lesson.title);
      return made("li", { className: isDone ? "done" : "" }, sign, said, title);
    }
    const hint = made("details", {}, made("summary", {}, "What to change"), made("p", {}, lesson.hint), button("Write it for me", () => replace(lesson.text)));
    const title = made("h3", { tabIndex: -1 }, lesson.title);
    const li = made("li", { className: isDone ? "done" : "" }, sign, said, title, made("p", {}, lesson.about), made("p", { className: "goal" }, made("strong", {}, "Goal: "), lesson.goal), state, hint, made("div", { className: "row" }, next, beside, sample));
    li.setAttribute("aria-current", "step");
    return li;
  };

  let drawn = "";
  const draw = () => {
    const key = JSON.stringify(progress);
    if (key !== drawn) {
      drawn = key;
      if (!progress) {
        root.replaceChildren(
          made("h3", {}, "From FIFO to 2D-LAS in six edits"),
          made("p", {}, "You begin with FIFO and change it, one thing at a time, until it is the policy that Tiresias is made of. Each edit has a goal, which your run reaches or does not."),
          made("p", { className: "hint" }, "It opens the sample A lab’s day. What you have written stays among your files."),
          button("Begin", begin, { className: "primary" }),
        );
      } else {
        const over = progress.done === lessons.length ? [made("p", { className: "over" }, made("strong", {}, "That is it. "), "The example “2D-LAS with queues” is Tiresias to the bit: its jobs sink at the second at which they have had enough. Now try yours on the challenges below.")] : [];
        root.replaceChildren(made("h3", {}, "From FIFO to 2D-LAS in six edits"), made("ol", {}, ...lessons.map(lessonOf)), ...over, button("Begin anew", begin, { className: "quiet" }));
      }
    }
    tell();
  };

  /** What is said of the goal now. */
  const tell = () => {
    if (!progress) return;
    const lesson = lessons[progress.at];
    const isHere = isThere();
    const other = isHere ? page.cards().find(({ spec }) => spec === lesson.beside) : null;
    sample.hidden = isHere;
    beside.hidden = !isHere || Boolean(other);
    let said = "";
    if (!isHere) said = "The goals are about the sample A lab’s day, which is not open.";
    else if (!other) said = "The policy of this goal is not in the list.";
    else if (other.status === "done" && own) {
      const { isReached, why } = judged(lesson, own, other, (value) => page.inWords("jct_mean", value));
      said = isReached ? "Reached." : why;
      if (isReached && progress.done <= progress.at) {
        progress.done = progress.at + 1;
        keep(progress);
        return draw();
      }
    }
    const isDone = progress.done > progress.at;
    if (isDone && !said) said = "Reached.";
    next.hidden = !isDone || progress.at + 1 >= lessons.length;
    state.className = `state ${said === "Reached." ? "better" : ""}`;
    if (state.textContent !== said) state.textContent = said;
  };

  draw();
  return {
    root,
    begin,
    isBegun: () => progress !== null,
    show: (card) => {
      own = card;
      draw();
    },
  };
};
