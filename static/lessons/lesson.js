// What makes of a text (lessons/src/page.rs) a lesson: one step at a time, a guess before its answer,
// controls that set a figure's attribute, and goals that the figure's runs tick off. Without it all of
// the text stands there. Figures are `<switchyard-view>` elements (view.js): they tell by events.

import { lead, settle } from "./moments.js";
import { keep, kept } from "./progress.js";

const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const told = document.getElementById("told");

/** Says something to people who do not see it. */
const tell = (text) => {
  told.textContent = text;
};

document.documentElement.classList.add("js");

// How far the reader is in this lesson: what was guessed and reached before is there again.
const { lesson, mark } = document.body.dataset;
const progress = kept(lesson ?? "", mark ?? "");
const note = (change) => void (lesson && keep(lesson, mark, change));

// Back to the page as it was left, one's own trace and all (static/start.js).
try {
  const left = sessionStorage.getItem(`switchyard ${new URL("..", location).pathname}`);
  for (const link of all("a[href='../index.html']")) if (left) link.href += left;
} catch {
  // A browser that keeps nothing.
}

// How a number comes about stands beside it, where the sheet alone cannot have it there.
if (!CSS.supports("position-area: block-end")) {
  for (const card of all(".card")) {
    card.addEventListener("toggle", ({ newState }) => {
      if (newState !== "open") return;
      const { left, bottom, top } = document.querySelector(`[popovertarget="${card.id}"]`).getBoundingClientRect();
      const { width, height } = card.getBoundingClientRect();
      const below = bottom + 6 + height <= innerHeight;
      card.style.margin = "0";
      card.style.inset = `${below ? bottom + 6 : Math.max(12, top - 6 - height)}px auto auto ${Math.max(12, Math.min(left, innerWidth - 12 - width))}px`;
    });
  }
}

// Guesses.
for (const [number, guess] of all(".guess").entries()) {
  const [reveal, verdict] = [guess.querySelector(".reveal"), guess.querySelector(".verdict")];
  reveal.hidden = true;
  // There from the beginning, so that what appears in it is told.
  const live = document.createElement("div");
  live.setAttribute("aria-live", "polite");
  reveal.replaceWith(live);
  live.append(reveal);
  // Nor do the figures beside it give the answer away.
  const figures = all("switchyard-view", guess.closest("section"));
  for (const figure of figures) figure.setAttribute("untold", "");
  const choices = all(".choices button", guess);
  const choose = (choice) => {
    for (const one of choices) {
      one.setAttribute("aria-pressed", String(one === choice));
      one.classList.toggle("right", one.dataset.right !== undefined);
    }
    verdict.textContent = choice.dataset.right === undefined ? "Not quite." : "Right.";
    reveal.hidden = false;
    guess.dataset.answered = "";
    for (const figure of figures) figure.removeAttribute("untold");
  };
  for (const [at, choice] of choices.entries()) {
    choice.setAttribute("aria-pressed", "false");
    choice.addEventListener("click", () => {
      choose(choice);
      // The first one counts: what comes after it is no guess.
      note(({ guesses }) => (guesses[number] ??= at));
    });
  }
  const before = choices[progress.guesses[number]];
  if (before) choose(before);
}

// Controls.
for (const control of all(".control:not(.slider)")) {
  const figure = document.getElementById(control.dataset.figure);
  const { attribute } = control.dataset;
  const choices = all(".choices button", control);
  for (const choice of choices) {
    const { value } = choice.dataset;
    choice.setAttribute("aria-pressed", String(value === figure.getAttribute(attribute)));
    choice.addEventListener("click", () => {
      for (const one of choices) one.setAttribute("aria-pressed", String(one === choice));
      figure.setAttribute(attribute, value);
      tell(`${control.getAttribute("aria-label")}: ${choice.textContent}. Running.`);
    });
  }
}

// Sliders within sentences: what is chosen is told at once, and run when it is let go of.
for (const control of all(".slider")) {
  const figure = document.getElementById(control.dataset.figure);
  const [slider, output] = [control.querySelector("input"), control.querySelector("output")];
  const choices = all("data", control);
  // A browser may have it where it was when the page was left.
  slider.value = slider.defaultValue;
  slider.addEventListener("input", () => {
    output.textContent = choices[slider.value].dataset.label;
    slider.setAttribute("aria-valuetext", output.textContent);
  });
  slider.addEventListener("change", () => figure.setAttribute(control.dataset.attribute, choices[slider.value].value));
}

/** A formula's number (lessons/src/formula.rs), of what a figure has told; NaN where it has not yet. */
function value(formula, known) {
  if (typeof formula === "number") return formula;
  if (formula === "time") return known.time;
  if (formula.length === 2) {
    const [path, who] = formula;
    const run = typeof who === "number" ? known.runs[who - 1] : known.runs.find(({ policy }) => policy === who);
    return path.split(".").reduce((of, key) => of?.[key], run) ?? NaN;
  }
  const [left, right] = [value(formula[0], known), value(formula[2], known)];
  switch (formula[1]) {
    case "+":
      return left + right;
    case "-":
      return left - right;
    case "*":
      return left * right;
    default:
      return left / right;
  }
}

function holds([left, sign, right], known) {
  const [a, b] = [value(left, known), value(right, known)];
  return { "<": a < b, ">": a > b, "<=": a <= b, ">=": a >= b }[sign];
}

// Goals.
for (const [number, goal] of all(".goal").entries()) {
  const figure = document.getElementById(goal.dataset.figure);
  const wanted = JSON.parse(goal.dataset.goal);
  const known = { time: NaN, runs: [] };
  const look = () => {
    const done = wanted.select === undefined ? wanted.all.every((part) => holds(part, known)) : known.job === wanted.select;
    if (!done || goal.classList.contains("done")) return;
    reach();
    note(({ goals }) => (goals[number] = true));
    tell(`Goal reached. ${goal.textContent}`);
  };
  const reach = () => {
    goal.classList.add("done");
    goal.querySelector(".state").textContent = "Done:";
  };
  if (progress.goals[number]) reach();
  const listen = (event, take) =>
    figure?.addEventListener(event, ({ detail }) => {
      take(detail);
      look();
    });
  listen("done", ({ runs }) => (known.runs = runs));
  listen("time", ({ t }) => (known.time = t));
  listen("select", ({ job }) => (known.job = job));
}

// Names of jobs light up in the step's figures as long as they are pointed at, and are chosen there when they are pressed.
for (const name of all("[data-job]")) {
  const { job } = name.dataset;
  const each = (act) => {
    // Where a figure has no such job, or does not answer, nothing happens.
    for (const figure of all("switchyard-view", name.closest(".step, section"))) Promise.resolve(act(figure)).catch(() => {});
  };
  for (const event of ["pointerenter", "focus"]) name.addEventListener(event, () => each((figure) => figure.highlight?.(job)));
  for (const event of ["pointerleave", "blur"]) name.addEventListener(event, () => each((figure) => figure.highlight?.(null)));
  name.addEventListener("click", () => {
    each((figure) => figure.select?.(job));
    tell(`${job} is chosen.`);
  });
}

for (const list of all(".moments")) lead(list);

// Buttons within sentences do something to all figures of the page; those of a group share their clock.
for (const button of all("[data-do]")) {
  const [action, of] = button.dataset.do.split("=");
  button.addEventListener("click", () => {
    const figures = all("switchyard-view", button.closest(".step") ?? document);
    const groups = new Set();
    for (const figure of figures) {
      const group = figure.getAttribute("group");
      const isFirst = group === null || !groups.has(group);
      groups.add(group);
      const done = {
        select: () => figure.select?.(of),
        highlight: () => figure.highlight?.(of),
        seek: () => isFirst && figure.seek?.(Number(of)),
        play: () => isFirst && figure.play?.(),
        pause: () => isFirst && figure.pause?.(),
      }[action]();
      Promise.resolve(done).catch((error) => tell(error.message));
    }
    tell(button.textContent);
  });
}

// Steps, one at a time; the address names the one that is open.
const steps = all(".step");
const shown = () => Math.max(0, steps.findIndex((step) => `#${step.id}` === location.hash));

function show(at, isAsked) {
  steps.forEach((step, i) => {
    step.hidden = i !== at;
    // One that nobody looks at stands still.
    if (i !== at) for (const figure of all("switchyard-view", step)) Promise.resolve(figure.pause?.()).catch(() => {});
  });
  document.getElementById("end")?.classList.toggle("later", at + 1 < steps.length);
  note((of) => {
    of.step = at + 1;
    of.ended ||= at + 1 === steps.length;
  });
  if (isAsked) {
    const title = steps[at].querySelector("h2");
    title.focus({ preventScroll: true });
    title.scrollIntoView({ block: "start" });
  }
  settle();
}

// The front page says how far one is, and leads there.
for (const link of all(".lessons a[data-lesson]")) {
  const { lesson, mark, steps } = link.dataset;
  const { step, ended, guesses } = kept(lesson, mark);
  if (step === 1 && !guesses.length) continue;
  const far = document.createElement("span");
  far.className = "far";
  far.textContent = ended ? " ✓ done" : ` step ${step} of ${steps}`;
  link.after(far);
  if (!ended) link.hash = `step-${step}`;
}

if (steps.length > 0) {
  const go = (at) => {
    if (at < 0 || at >= steps.length) return;
    history.pushState(null, "", `#${steps[at].id}`);
    show(at, true);
  };
  steps.forEach((step, at) => {
    const [back, on] = [step.querySelector(".go .back"), step.querySelector(".go .on")];
    back.disabled = at === 0;
    on.hidden = at + 1 === steps.length;
    back.addEventListener("click", () => go(at - 1));
    on.addEventListener("click", () => go(at + 1));
  });
  addEventListener("popstate", () => show(shown(), true));
  addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    // Figures and fields have arrows of their own.
    if (event.target.closest("switchyard-view, input, select, textarea")) return;
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (by) go(shown() + by);
  });
  show(shown(), location.hash.startsWith("#step-"));
}
