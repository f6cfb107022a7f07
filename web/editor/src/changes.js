// What the text changes against the version before: where the two differ, marked in the text, and which jobs are done sooner or
// later by it, the largest difference first.

import { button, made } from "./elements.js";
import * as page from "./page.js";

const counted = (many, one, more) => `${many} ${many === 1 ? one : more}`;

/** The pane; `code` marks the differences. Out: `root`, and `show({ before, now, isCompared })` with the page's cards of both versions. */
export const changes = (code) => {
  const places = made("p", {});
  places.setAttribute("role", "status");
  const steps = made(
    "div",
    { className: "row" },
    button("Previous", () => code.previousDifference(), { title: "To the difference before" }),
    button("Next", () => code.nextDifference(), { title: "To the next difference" }),
  );
  const summary = made("p", {});
  const rows = made("tbody");
  const head = ["job", "before", "now", "change"].map((words) => made("th", { scope: "col" }, words));
  const table = made("table", { hidden: true }, made("caption", {}, "By how much jobs’ completion times change, the most first. A name opens the job."), made("thead", {}, made("tr", {}, ...head)), rows);
  const root = made("div", { className: "changes" }, places, steps, summary, table);
  let told = "";
  const show = ({ before, now }) => {
    const many = before ? code.differences() : 0;
    const said = !before
      ? "There is no version before: the first change of a version that has run leaves it in the list, to compare with."
      : many
        ? `${counted(many, "place differs", "places differ")} from “${before.name}”. What has gone is shown above what has come.`
        : `The text is that of “${before.name}”.`;
    if (places.textContent !== said) places.textContent = said;
    steps.hidden = many < 2;
    const isOver = before?.log_hash && now?.log_hash;
    const key = isOver ? `${before.log_hash} ${now.log_hash} ${before.id} ${now.id}` : `${Boolean(before)}`;
    if (key === told) return;
    told = key;
    const changed = isOver ? page.changedJobs(before.id, now.id) : null;
    table.hidden = !changed?.jobs.length;
    if (!changed) {
      summary.textContent = before ? "Which jobs it changes is told once both have run." : "";
      return;
    }
    const { sooner, later, compared, jobs } = changed;
    summary.textContent = jobs.length
      ? `Of ${counted(compared, "job", "jobs")}, ${sooner} ${sooner === 1 ? "is" : "are"} done sooner and ${later} later.`
      : `All ${counted(compared, "job", "jobs")} are done when they were before.`;
    rows.replaceChildren(
      ...jobs.map(({ name, before, after }) => {
        const by = after - before;
        const words = `${by < 0 ? "−" : "+"}${page.inWords("jct_mean", Math.abs(by))}`;
        const open = button(name, () => page.select(name), { className: "quiet job", title: `Opens ${name}` });
        const cells = [before, after].map((value) => made("td", {}, page.inWords("jct_mean", value)));
        return made("tr", {}, made("th", { scope: "row" }, open), ...cells, made("td", { className: by < 0 ? "better" : "worse" }, words));
      }),
    );
  };
  return { root, show };
};
