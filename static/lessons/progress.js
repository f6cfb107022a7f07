// How far a reader has come in the lessons: which step, what was guessed, which goals were reached. It is kept in this
// browser alone, and in the certificate's link, which the reader makes and gives away. In: what a page tells; out: the
// same again, later. Neither the browser's memory nor a link is believed: what is no progress is none.

const KEY = "switchyard lessons";

/**
 * How far a reader is in one lesson.
 * @typedef {object} Progress
 * @property {string} mark The lesson's fingerprint: with other questions it is another.
 * @property {number} step The step that was open last, from 1.
 * @property {(number | null)[]} guesses For each guess the choice, from 0.
 * @property {boolean[]} goals For each goal whether it is reached.
 * @property {boolean} ended Whether the last step was seen.
 */

const MOST = 20;
const list = (value, is) => (Array.isArray(value) ? value.slice(0, MOST).map((of) => (is(of) ? of : null)) : []);
const isChoice = (of) => Number.isInteger(of) && of >= 0 && of < 10;

/** What something is as progress; null if it is none. */
function sound(of) {
  if (typeof of !== "object" || !of || !/^[0-9a-f]{4}$/.test(of.mark)) return null;
  return {
    mark: of.mark,
    step: Number.isInteger(of.step) && of.step > 0 && of.step <= MOST ? of.step : 1,
    guesses: list(of.guesses, isChoice),
    goals: list(of.goals, (is) => is === true).map(Boolean),
    ended: of.ended === true,
  };
}

function read() {
  try {
    const all = JSON.parse(localStorage.getItem(KEY));
    return typeof all === "object" && all ? all : {};
  } catch {
    // A browser that keeps nothing, or what somebody else has kept there.
    return {};
  }
}

function write(all) {
  try {
    localStorage.setItem(KEY, JSON.stringify(all));
  } catch {
    // The page goes on without.
  }
}

/** How far the reader is in a lesson, by its name and fingerprint; of another text of it nothing is known. */
export function kept(lesson, mark) {
  const of = sound(Object.hasOwn(read(), lesson) ? read()[lesson] : null);
  return of?.mark === mark ? of : { mark, step: 1, guesses: [], goals: [], ended: false };
}

/** Keeps what has changed of it. */
export function keep(lesson, mark, change) {
  const all = read();
  const of = kept(lesson, mark);
  change(of);
  write({ ...all, [lesson]: of });
}

/** Forgets all. */
export function forget() {
  try {
    localStorage.removeItem(KEY);
  } catch {
    // There was nothing.
  }
}

/** Lessons as a link has them: `1-waiting=ab12.20-1.11`, the fingerprint, a choice for each guess, and which goals are reached. */
export function toLink(lessons, name) {
  const link = new URLSearchParams({ v: "1" });
  if (name) link.set("name", name);
  for (const [lesson, { mark, guesses, goals }] of lessons) {
    const choices = Array.from(guesses, (of) => of ?? "-").join("");
    const reached = Array.from(goals, (is) => (is ? 1 : 0)).join("");
    if (/\d/.test(choices) || /1/.test(reached)) link.set(lesson, `${mark}.${choices}.${reached}`);
  }
  return link.toString();
}

/** The same, read: a name, and lessons by theirs. */
export function ofLink(fragment) {
  const link = new URLSearchParams(fragment.replace(/^#/, ""));
  const lessons = new Map();
  for (const [lesson, text] of link) {
    const [, mark, guesses, goals] = /^([0-9a-f]{4})\.([0-9-]{0,20})\.([01]{0,20})$/.exec(text) ?? [];
    if (mark) lessons.set(lesson, sound({ mark, guesses: [...guesses].map((of) => (of === "-" ? null : Number(of))), goals: [...goals].map((of) => of === "1") }));
  }
  return { name: (link.get("name") ?? "").slice(0, 60), lessons };
}
