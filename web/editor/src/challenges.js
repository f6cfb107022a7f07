// What each challenge is about, below the list of scores: what counts, what goes wrong under FIFO and a picture of it, three hints on
// demand, the par, and the board with one's own place in it. In: what the worker knows of challenges, and later a score.

import { picture } from "./author.js";
import { made } from "./elements.js";

const SVG = "http://www.w3.org/2000/svg";
const [WIDTH, HEIGHT] = [320, 90];

const drawn = (name, attributes, ...children) => {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
};
const hint = (...words) => made("p", { className: "hint" }, ...words);
/** A score as it is told: less than a tenth is no difference. */
export const tenth = (score) => score.toFixed(1);
/** Its interval. */
export const interval = ({ low, high }) => `${tenth(low)} to ${tenth(high)}`;

/** Jobs that are there over time, under two schedulers. */
const figure = ({ every, fifo, par }, policy) => {
  const most = Math.max(...fifo, ...par, 1);
  const line = (counts, className) =>
    drawn("polyline", {
      class: className,
      points: counts.map((count, at) => `${((at / (counts.length - 1)) * WIDTH).toFixed(1)},${(HEIGHT - 1 - (count / most) * (HEIGHT - 2)).toFixed(1)}`).join(" "),
    });
  const hours = Math.round((every * (fifo.length - 1)) / 3600);
  const words = `Jobs that are there over ${hours} hours: up to ${Math.max(...fifo)} under FIFO, up to ${Math.max(...par)} under ${policy}`;
  const image = drawn("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": words }, line(fifo, "fifo"), line(par, "par"));
  const name = (className, text) => made("span", { className }, text);
  return made("figure", {}, image, made("figcaption", {}, "Jobs submitted and not done, over ", `${hours} h: `, name("fifo", "FIFO"), ", ", name("par", policy), `; at most ${most}.`));
};

/** The rows of a board, with one's own among them. */
const rows = (challenge, own, follow) => {
  const all = challenge.board.map((row) => ({ ...row, isOwn: false }));
  if (own) all.push({ ...own, name: "Yours, scored last", by: "you", link: null, isOwn: true });
  all.sort((a, b) => b.score - a.score);
  return all.map(({ name, by, link, isOwn, ...of }, at) => {
    const replay = made("button", { type: "button", className: "quiet", title: "Opens the challenge's open workload with this scheduler beside the best" }, name);
    replay.onclick = () => follow(link);
    const cells = [String(at + 1), by, tenth(of.score), interval(of)].map((words) => made("td", {}, words));
    return made("tr", { className: isOwn ? "own" : "" }, made("th", { scope: "row" }, link ? replay : name), ...cells);
  });
};

/**
 * Puts them into a place; gives what shows a score there.
 * @param {HTMLElement} place
 * @param {import("./author.js").ChallengeFacts[]} challenges
 * @param {(link: string) => void} follow
 */
export const challengesIn = (place, challenges, follow) => {
  const shows = challenges.map((challenge) => {
    const board = made("tbody");
    const reached = made("p", { className: "hint" });
    const show = (own) => {
      board.replaceChildren(...rows(challenge, own, follow));
      const { policy, score } = challenge.par;
      reached.textContent = `Par ${tenth(score)}: ${policy}, the best published policy.${own ? ` Yours: ${tenth(own.score)}. No scheduler gets above ${tenth(own.bound_score)} on these workloads.` : ""}`;
    };
    const heads = ["scheduler", "place", "by", "score", "95 %"].map((words) => made("th", { scope: "col" }, words));
    const seen = made("div", { className: "picture" });
    let given = 0;
    const hints = made("ol");
    const more = made("button", { type: "button", className: "quiet" }, "A hint");
    more.onclick = () => {
      hints.append(made("li", {}, challenge.hints[given]));
      given += 1;
      more.textContent = "One more hint";
      more.hidden = given === challenge.hints.length;
    };
    const part = made(
      "details",
      { className: "challenge" },
      made("summary", {}, challenge.title),
      hint(challenge.about),
      hint(`What counts: ${challenge.goal}.`),
      hint(`Under FIFO: ${challenge.goes_wrong}`),
      seen,
      hints,
      more,
      reached,
      made("table", {}, made("thead", {}, made("tr", {}, ...heads)), board),
    );
    part.ontoggle = async () => {
      if (!part.open || seen.childNodes.length) return;
      seen.append(hint("The picture is drawn…"));
      const { error, picture: of } = await picture(challenge.name).catch((why) => ({ error: why }));
      seen.replaceChildren(error ? hint(`No picture: ${error.message}.`) : figure(of, challenge.par.policy));
    };
    show(null);
    place.append(part);
    return [challenge.name, show];
  });
  const byName = new Map(shows);
  /** A score's challenges, as `switchyard score` prints them; none: it is of another text. */
  return (scored) => {
    for (const show of byName.values()) show(null);
    for (const of of scored) byName.get(of.name)?.(of);
  };
};
