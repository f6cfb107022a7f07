// The worker that knows the script language (web/src/workers/author.rs, in the page's third program): what
// there is to write with, whether a script is sound, its score, and what goes wrong in a challenge. It is asked in JSON, one question after
// the other; one that takes too long, or is given up, is ended, and the next question has a new worker.

/**
 * What there is to write with.
 * @typedef {object} Described
 * @property {ScriptExample[]} examples
 * @property {LanguageWord[]} words
 * @property {string[]} keywords
 * @property {string} start The text that the course begins with.
 * @property {CourseLesson[]} course
 * @property {ChallengeFacts[]} challenges
 * @property {number} most_draw The greatest number that a draw may have.
 */

/**
 * @typedef {object} ScriptExample
 * @property {string} name
 * @property {string} title
 * @property {string} about
 * @property {string} text
 * @property {string | null} builtin The spec of the policy that it equals.
 */

/**
 * @typedef {object} LanguageWord
 * @property {string} of
 * @property {string} name
 * @property {string} signature
 * @property {string} about
 * @property {string} example A line with it.
 */

/**
 * An edit of the course, with its goal.
 * @typedef {object} CourseLesson
 * @property {string} title
 * @property {string} about
 * @property {string} hint
 * @property {string} goal
 * @property {string} beside The spec of the policy that runs beside it.
 * @property {boolean} same_log Whether both are to write the same log.
 * @property {number | null} jct_mean Else the most that it may have of the other's mean JCT.
 * @property {number | null} restarts The same of restarts; null: any.
 * @property {string} text A text that reaches it.
 */

/**
 * @typedef {object} ChallengeFacts
 * @property {string} name
 * @property {string} title
 * @property {string} about
 * @property {string} goal What counts.
 * @property {string} goes_wrong Under FIFO.
 * @property {string[]} hints Three.
 * @property {{ policy: string, score: number }} par The best published policy.
 * @property {BoardRow[]} board The best first.
 */

/**
 * What an entry of the board has made of a challenge.
 * @typedef {object} BoardRow
 * @property {string} name
 * @property {string} by
 * @property {number} score
 * @property {number} low
 * @property {number} high
 * @property {string} link Beside the best.
 */

/**
 * @typedef {object} ReadScript
 * @property {string} text
 * @property {string} name
 */

/**
 * A text that is sound.
 * @typedef {object} Checked
 * @property {string} spec
 * @property {Record<string, string>} links To each challenge, with it.
 */

/**
 * What is wrong, and where.
 * @typedef {object} Wrong
 * @property {number | null} line
 * @property {number | null} column
 * @property {string} message
 */

const GIVEN_UP = "it was given up";
const MOST_MS = { describe: 60_000, read: 10_000, check: 10_000, picture: 120_000, score: 600_000 };

class Author {
  #worker = null;
  #line = Promise.resolve();
  /** Ends the question that is being answered. */
  #end = null;
  #givenUp = 0;

  /** The answer, as data. */
  ask(question) {
    const since = this.#givenUp;
    const answer = this.#line.then(() => this.#ask(question, since)).finally(() => (this.#end = null));
    this.#line = answer.catch(() => {});
    return answer;
  }

  /** Gives up all that has been asked so far. */
  giveUp() {
    this.#givenUp += 1;
    this.#end?.(GIVEN_UP);
  }

  async #ask(question, since) {
    this.#worker ??= await globalThis.switchyardWorkers.start("author", "scripts").then(ready);
    if (since !== this.#givenUp) throw new Error(GIVEN_UP);
    const worker = this.#worker;
    return new Promise((resolve, reject) => {
      const end = (this.#end = (why) => {
        clearTimeout(timer);
        worker.terminate();
        if (this.#worker === worker) this.#worker = null;
        reject(new Error(why));
      });
      const timer = setTimeout(() => end("it takes too long"), MOST_MS[question.what]);
      worker.onmessage = ({ data }) => {
        clearTimeout(timer);
        resolve(JSON.parse(data));
      };
      worker.onerror = (event) => {
        event.preventDefault();
        end(event.message || "its program cannot be started");
      };
      worker.postMessage(JSON.stringify(question));
    });
  }
}

/** It says something once it listens. */
const ready = (worker) =>
  new Promise((resolve, reject) => {
    worker.onmessage = () => resolve(worker);
    worker.onerror = (event) => {
      event.preventDefault();
      reject(new Error(event.message || "its program cannot be started"));
    };
  });

const checking = new Author();
const scoring = new Author();
const picturing = new Author();

export const describe = () => checking.ask({ what: "describe" });
/** The text and the name of a script that a scheduler's text says. */
export const read = (spec) => checking.ask({ what: "read", spec });
/** `{ error }`, with its line and column, or `{ spec }`: the scheduler's text, which keeps of `like` what is not the script's. */
export const check = (text, name, like) => checking.ask({ what: "check", text, name, like });
/** `{ error }` or `{ picture }`: how many jobs are there under FIFO and under the best published policy, every so many seconds. */
export const picture = (challenge) => picturing.ask({ what: "picture", challenge });
/** `{ error }` or `{ score }`, as `switchyard score` prints it; `draw` is null for new workloads. */
export const score = (text, name, draw) => scoring.ask({ what: "score", text, name, draw });
export const giveUpScore = () => scoring.giveUp();
/** Gives up whatever is being checked. */
export const giveUpCheck = () => checking.giveUp();
