// The explorer: tables that are open, what of one is looked at, its charts, and the runs behind every point.
// In: tables; out: links to runs, and files.

import Papa from "papaparse";
import { cellsOf, front, worths } from "./aggregate.js";
import * as charts from "./charts.js";
import { dimensionsOf, firstLook, without } from "./dimensions.js";
import { choices, chooser, made, sortable } from "./elements.js";
import { inWords, metricsOf, significant, titleIn, unitFor } from "./metrics.js";
import * as page from "./page.js";
import { policyOf } from "./spec.js";

const VIEWS = [
  ["lines", "Lines", "A metric over one thing that varies, with its 95 % interval"],
  ["heat", "Heat map", "A metric over two things that vary"],
  ["pareto", "Pareto front", "Two metrics against each other, and the points that no other beats in both"],
];
const FAILURES = {
  input: "asked wrongly",
  run: "did not end",
  lost: "its worker died",
};
const ALL = "all";
const NONE = "";
const NARROWEST_PANEL = 330;

const counted = (number, one, more) => `${number.toLocaleString("en")} ${number === 1 ? one : more}`;
const list = (words) => (words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`);

/** A table with what varies in it, and what is chosen of it: of a search for nodes first what it bounds. */
const opened = (table, sought) => {
  const dimensions = dimensionsOf(table);
  const metrics = metricsOf(table);
  const has = (key) => metrics.find((metric) => metric.key === key)?.key;
  return {
    table,
    dimensions,
    metrics,
    sought,
    look: {
      view: "lines",
      metric: has(sought?.metric) ?? has("jct_mean") ?? metrics[0]?.key,
      other: has("jct_p99") ?? metrics.at(-1)?.key,
      ...firstLook(dimensions),
      baseline: NONE,
      log: null,
      held: new Map(),
      sort: { by: -1, down: false },
    },
  };
};

/** Where to stand in what is not shown: the load as recorded, the middle of numbers, the first of names. */
const standing = ({ key, isNumeric, values }, there) => {
  if (key === "load" && there.includes(values.indexOf(1))) return values.indexOf(1);
  return isNumeric ? there[Math.floor((there.length - 1) / 2)] : there[0];
};

/**
 * What differs among runs that agree in what is shown, one after the other, each with the number of the value that
 * is held, or `ALL`; and the runs that are left. What follows from others, as a cluster's GPUs do, differs no more.
 */
const holding = (table, dimensions, shown, chosen) => {
  let rows = [...Array(table.count).keys()].filter((row) => shown.every(({ at }) => at[row] >= 0));
  const held = [];
  const others = dimensions.filter((dimension) => dimension.key !== "seed" && !shown.includes(dimension));
  // A policy says what its parameters are.
  others.sort((a, b) => Boolean(b.isPolicy) - Boolean(a.isPolicy));
  for (const dimension of others) {
    const found = new Map();
    const differs = rows.some((row) => {
      const key = shown.map(({ at }) => at[row]).join(" ");
      if (!found.has(key)) found.set(key, dimension.at[row]);
      return found.get(key) !== dimension.at[row];
    });
    if (!differs) continue;
    const there = [...new Set(rows.map((row) => dimension.at[row]))].filter((at) => at >= 0).sort((a, b) => a - b);
    const wish = chosen.get(dimension.key);
    const value = wish === ALL || there.includes(wish) ? wish : standing(dimension, there);
    held.push([dimension, value]);
    if (value !== ALL) rows = rows.filter((row) => dimension.at[row] === value);
  }
  return { held, rows };
};

export const panel = () => {
  const tables = new Map();
  let shown = null;
  let width = 0;

  const head = made("div", { className: "head" });
  const controls = made("div", { className: "controls" });
  const told = made("p", { className: "hint" });
  const key = made("ul", { className: "key-of-series", "aria-label": "Lines" });
  const panels = made("div", { className: "panels" });
  const saving = made("div", { className: "row" });
  const runs = made("section", { className: "runs", hidden: true, tabIndex: -1 });
  const cells = made("div");
  const failures = made("div");
  const root = made("section", { className: "explorer", "aria-label": "Table of the sweep" }, head, controls, told, key, panels, saving, runs, cells, failures);

  const now = () => tables.get(shown);

  // What is shown

  const named = (key) => now().dimensions.find((dimension) => dimension.key === key) ?? null;

  const set = (changes) => {
    Object.assign(now().look, changes);
    runs.hidden = true;
    const focused = document.activeElement?.name;
    draw();
    if (focused) controls.querySelector(`[name="${CSS.escape(focused)}"]`)?.focus();
  };

  /** The dimensions of the view: those it shows, those it may be asked to hold, and what it holds. */
  const setUp = () => {
    const { table, dimensions, look } = now();
    const x = look.view === "pareto" ? null : named(look.x);
    let series = named(look.series);
    // Over a parameter's values a line is the policy but for that.
    if (series?.key === "policy" && x?.param) series = without(table.columns.get("policy"), x.param);
    if (series && series.values.length < 2) series = null;
    const facet = named(look.facet);
    const by = [facet, series, x];
    return { x, series, facet, by, ...holding(table, dimensions, by.filter(Boolean), look.held) };
  };

  // Controls

  const listOf = (given, empty) => [...(empty ? [[NONE, empty]] : []), ...given.map(({ key, title }) => [key, title])];

  const drawControls = ({ x, series, facet, held }) => {
    const { dimensions, metrics, look } = now();
    const isPareto = look.view === "pareto";
    const metric = metrics.find(({ key }) => key === look.metric);
    const ofMetrics = metrics.map(({ key, title, unit, about }) => [key, unit && unit !== "time" && unit !== "share" ? `${title}, ${unit}` : title, about]);
    const rest = (...taken) => dimensions.filter(({ key }) => !taken.includes(key));
    const policy = dimensions.find(({ key }) => key === "policy");
    controls.replaceChildren(
      choices("View", VIEWS, look.view, (view) => set({ view })),
      chooser(isPareto ? "Across" : "Metric", ofMetrics, look.metric, (metric) => set({ metric, log: null }), metric?.about),
      isPareto ? chooser("Up", ofMetrics, look.other, (other) => set({ other, log: null }), metrics.find(({ key }) => key === look.other)?.about) : "",
      isPareto ? "" : chooser("Across", listOf(dimensions), look.x, (x) => set({ x, series: look.series === x ? NONE : look.series, facet: look.facet === x ? NONE : look.facet })),
      chooser(
        look.view === "heat" ? "Rows" : isPareto ? "Points" : "Lines",
        listOf(rest(isPareto ? "" : look.x), "one for all"),
        look.series,
        (series) => set({ series, facet: look.facet === series ? NONE : look.facet }),
      ),
      chooser("Panels", listOf(rest(look.series, isPareto ? "" : look.x), "one"), look.facet, (facet) => set({ facet })),
      policy
        ? chooser("Relative to", [[NONE, "nothing"], ...policy.values.map((value, at) => [String(at), policy.label(value)])], look.baseline, (baseline) => set({ baseline, log: null }), "Each run ÷ the run of this policy with the same jobs, cluster, load, settings and seed")
        : "",
      ...held.map(([dimension, at]) =>
        chooser(dimension.title, [...dimension.values.map((value, at) => [String(at), dimension.label(value)]), [ALL, "all: mean over them"]], at === ALL ? ALL : String(at), (value) =>
          set({ held: new Map(look.held).set(dimension.key, value === ALL ? ALL : Number(value)) }),
        ),
      ),
    );
  };

  // Points

  const seedOf = (table, row) => `seed ${table.columns.get("seed")[row]}`;
  const linkOf = (table, row) => table.columns.get("link")[row];

  const draw = () => {
    const there = now();
    if (!there || !width) return;
    const { table, metrics, dimensions, look } = there;
    drawHead(there);
    drawFailures(there);
    if (!metrics.length) {
      for (const part of [controls, key, panels, saving, cells]) part.replaceChildren();
      told.textContent = "No run of it has numbers: all have failed, as is said below.";
      return;
    }
    const asked = setUp();
    const { x, series, facet, by, rows } = asked;
    drawControls(asked);
    const isPareto = look.view === "pareto";
    const policy = dimensions.find(({ key }) => key === "policy");
    const relative = look.baseline !== NONE && policy ? { by: policy, value: Number(look.baseline) } : null;
    const measured = [look.metric, ...(isPareto ? [look.other] : [])].map((key) => metrics.find((metric) => metric.key === key));
    const all = cellsOf(table, rows, by, measured.map((metric) => worths(table, dimensions, metric, relative)), dimensions);
    const axes = measured.map((metric, at) => {
      const means = all.map(({ stats }) => stats[at].mean).filter(Number.isFinite);
      const unit = relative ? { by: 1, name: "" } : unitFor(metric, means);
      const title = relative ? `${metric.title} ÷ that of ${policy.label(policy.values[relative.value])}` : titleIn(metric, unit);
      const isLog = look.log ?? (!relative && charts.spansDecades(means));
      const floor = isLog ? Math.min(...means.filter((mean) => mean > 0)) / unit.by / 1.1 : -Infinity;
      const bound = !relative && metric.key === there.sought?.metric && !(isLog && there.sought.bound <= 0) ? there.sought.bound / unit.by : null;
      return { metric, unit, isLog, floor, bound, relative: Boolean(relative), better: metric.better, title };
    });
    // By its link: how many nodes a run has that is an answer.
    const answers = new Map((axes[0].bound === null ? [] : there.sought.found).map(({ nodes, link }) => [link, nodes]));
    const worded = (at, value) => (relative ? `${significant(value)} ×` : inWords(measured[at], value));
    const nameOf = (dimension, place) => (dimension ? dimension.label(dimension.values[place]) : "");
    const placeOf = ({ places: [f, s, at] }) =>
      [series && nameOf(series, s), x && `${x.title.split(",")[0].toLowerCase()} ${nameOf(x, at)}`, facet && nameOf(facet, f)].filter(Boolean).join(", ");

    const points = all.map((cell) => {
      const scaled = (at) => ["mean", "low", "high"].map((of) => cell.stats[at][of] / axes[at].unit.by);
      const [mean, low, high] = scaled(0);
      const [other, otherLow, otherHigh] = isPareto ? scaled(1) : [];
      const where = placeOf(cell) || "all runs";
      const isHollow = cell.leaving.length > 0;
      const left = isHollow ? ", over only the jobs that finished" : "";
      const numbers = measured.map((metric, at) => `${metric.title} ${worded(at, cell.stats[at].mean)}`).join(", ") + left;
      const isOne = cell.rows.length === 1 && linkOf(table, cell.rows[0]);
      const nodes = answers.get(isOne);
      const answer = nodes === undefined ? "" : counted(nodes, "node", "nodes");
      const of = {
        href: isOne ? `#${linkOf(table, cell.rows[0])}` : null,
        words: `${where}: ${numbers}${answer && `, the answer: ${answer}`}, ${isOne ? "one run: opens it" : `${counted(cell.rows.length, "run", "runs")}: lists them`}`,
        press: () => listRuns(where, cell, measured, there),
      };
      const [f, s, at] = cell.places;
      return { cell, facet: f, series: s, x: x ? x.values[at] : null, row: series ? series.values[s] : "all", name: nameOf(series, s) || "all", mean, low, high, other, otherLow, otherHigh, isHollow, answer, of };
    });
    const facets = facet ? facet.values.map((_, at) => at) : [0];
    if (isPareto) {
      for (const at of facets) {
        const mine = points.filter((point) => point.facet === at);
        // What leaves jobs behind beats nothing.
        const best = front(mine.map(({ mean, other, isHollow }) => (isHollow ? [NaN, NaN] : [mean, other])), measured.map(({ better }) => better));
        mine.forEach((point, nth) => (point.isFront = best[nth]));
      }
    }
    const hue = huesOf(series);
    const inSeries = series ? series.values.map((_, at) => at).filter((at) => points.some((point) => point.series === at)) : [0];
    const values = [...points.flatMap(({ mean, low, high }) => [mean, Math.max(low, axes[0].floor), high]), ...(axes[0].bound === null ? [] : [axes[0].bound])];
    const others = points.flatMap(({ other, otherLow, otherHigh }) => [other, Math.max(otherLow, axes.at(-1).floor), otherHigh]);

    const side = facets.length > 1 ? Math.max(Math.min(NARROWEST_PANEL, width), width / Math.min(3, facets.length, Math.floor(width / NARROWEST_PANEL) || 1) - 12) : width;
    const each = Math.floor(Math.min(side, 860));
    const colour = charts.heatOf(points.map(({ mean }) => mean), axes[0]);
    const rowsOf = series ?? { values: ["all"], label: String, title: "" };
    const drawn = facets.map((at) => {
      const title = facet ? `${facet.title}: ${nameOf(facet, at)}` : "";
      const one = { title, hue, points: points.filter((point) => point.facet === at) };
      if (!one.points.some(({ mean }) => Number.isFinite(mean))) return null;
      const [first, second] = axes;
      const svg = isPareto
        ? charts.pareto(one, { x: first, y: second, width: each, isLogX: first.isLog, isLogY: second.isLog, allX: values, allY: others })
        : look.view === "heat"
          ? charts.heat(one, { x: x ?? { values: [null], label: () => "", title: "", isNumeric: false }, y: first, rows: rowsOf, width: each, colour })
          : charts.lines(one, { x: x ?? { values: [null], label: () => "", title: "", isNumeric: false }, y: first, series: inSeries, width: each, isLog: first.isLog, all: values });
      return made("figure", {}, facet ? made("figcaption", {}, title) : null, svg);
    });
    const isHeat = look.view === "heat";
    panels.replaceChildren(...drawn.filter(Boolean), ...(isHeat ? [made("figure", {}, charts.ramp(colour, each))] : []));
    if (!drawn.some(Boolean)) panels.replaceChildren(made("p", { className: "empty" }, "No run has a number here: choose another value above."));
    key.hidden = isHeat || !series;
    key.replaceChildren(
      ...inSeries.map((at) => {
        const swatch = document.createElementNS("http://www.w3.org/2000/svg", "svg");
        for (const [name, value] of Object.entries({ width: 22, height: 8, "aria-hidden": "true" })) swatch.setAttribute(name, value);
        const line = document.createElementNS("http://www.w3.org/2000/svg", "line");
        const { stroke, strokeDasharray } = charts.look(hue(at));
        for (const [name, value] of Object.entries({ x2: 22, y1: 4, y2: 4, stroke, "stroke-width": 2.5, "stroke-dasharray": strokeDasharray ?? "none" })) line.setAttribute(name, value);
        swatch.append(line);
        return made("li", {}, swatch, nameOf(series, at));
      }),
    );
    told.textContent = sentence(all, asked, axes, look.view);
    drawSaving(there, axes);
    drawCells(there, points, asked, axes);
  };

  /** What the charts stand for: how many runs a point is, whether its interval is known, and who is left out. */
  const sentence = (all, { x, series, facet }, axes, view) => {
    const numbers = all.map(({ stats }) => stats[0].n).filter(Boolean);
    const [least, most] = [Math.min(...numbers), Math.max(...numbers)];
    const words = [];
    const mixed = [...new Set(all.flatMap(({ mixes }) => mixes))];
    if (numbers.length) {
      const n = least === most ? `n = ${most}` : `n = ${least} to ${most}`;
      if (mixed.length) words.push(`Means over ${list(mixed.map(({ title }) => title.split(",")[0].toLowerCase()))} (${n} runs), which differ: no interval.`);
      else if (most === 1) words.push("One run a point: no interval without more seeds.");
      else words.push(`Means over seeds (${n}), with the 95 % interval of the mean (Student’s t)${view === "heat" ? " below" : ""}${least === 1 ? "; none where there is one run" : ""}.`);
    }
    if (axes[0].relative) words.push("Each run ÷ that of the baseline with the same jobs, cluster, load, settings and seed; then the mean of that.");
    const failed = all.reduce((sum, { failed }) => sum + failed.length, 0);
    if (failed) words.push(`${counted(failed, "run has", "runs have")} failed and ${failed === 1 ? "is" : "are"} in no mean; they are listed below.`);
    const leaving = all.flatMap((cell) => cell.leaving).length;
    if (leaving) {
      const some = leaving === 1 ? "1 run leaves jobs behind, unfinished or rejected: it is" : `${leaving.toLocaleString("en")} runs leave jobs behind, unfinished or rejected: they are`;
      // Points that others beat are hollow as well.
      const mark = view === "pareto" ? "on no front" : "drawn hollow";
      words.push(`${some} ${mark}, ${leaving === 1 ? "its" : "their"} numbers are of the jobs that finished, and nothing is compared with ${leaving === 1 ? "it" : "them"}.`);
    }
    const apart = [x, series, facet].filter((dimension) => dimension?.at.some((at) => at < 0));
    for (const { title, at } of apart) words.push(`${counted(at.filter((place) => place < 0).length, "run", "runs")} without ${title} not shown.`);
    if (axes.some(({ isLog }) => isLog)) words.push("Logarithmic where values span decades.");
    const { better, bound, metric } = axes[0];
    if (view === "lines" && bound !== null) words.push(`The dashed line is the bound, ${inWords(metric, now().sought.bound)}; the ringed point of a line is its answer.`);
    if (view === "pareto") words.push("The dashed line joins those that nothing beats in both.");
    else if (better) words.push(`${better < 0 ? "Less" : "More"} is better.`);
    return words.join(" ");
  };

  /** Each policy has the hue that it has on the page, if it is in its list. */
  const huesOf = (series) => {
    if (!series?.isPolicy) return (at) => at;
    const cards = page.policies();
    const hues = new Map();
    const isTaken = (hue) => [...hues.values()].includes(hue);
    series.values.forEach((value, at) => {
      const same = cards.find(({ spec }) => spec === value);
      const alike = same ?? cards.find(({ spec }) => policyOf(spec).name === policyOf(value).name);
      if (alike && !isTaken(alike.hue)) hues.set(at, alike.hue);
    });
    let next = 0;
    series.values.forEach((_, at) => {
      if (hues.has(at)) return;
      while (isTaken(next)) next += 1;
      hues.set(at, next);
    });
    return (at) => hues.get(at) ?? at;
  };

  // In words

  const drawHead = ({ table, dimensions }) => {
    const failed = table.columns.get("failure").filter(Boolean).length;
    const varied = dimensions
      .filter(({ param, key }) => !param && key !== "gpus")
      .map(({ title, values }) => `${values.length} × ${title.split(",")[0].toLowerCase()}`);
    const traces = [...new Set(table.columns.get("trace"))];
    const facts = [
      `${counted(table.count, "run", "runs")}${failed ? `, of which ${failed.toLocaleString("en")} failed` : ""}`,
      varied.join(", ") || "nothing varies",
      `jobs of ${list(traces.slice(0, 4))}${traces.length > 4 ? " and others" : ""}`,
    ];
    const switcher =
      tables.size > 1
        ? choices("Table", [...tables].map(([id, { table }]) => [id, table.name, "Show this table"]), shown, (id) => {
            shown = id;
            runs.hidden = true;
            draw();
          })
        : null;
    const links = table.columns.get("link");
    const open = page.open();
    const files = new Set();
    for (const link of new Set(links)) {
      const source = page.sourceOf(link);
      if (source.startsWith("file ") && source !== open) files.add(source.slice(5));
    }
    const wanted = files.size
      ? made("p", { className: "hint", role: "status" }, `${list([...files])} ${files.size > 1 ? "are" : "is"} not open: a run that you press is set up, and starts once you open your copy of its trace.`)
      : null;
    head.replaceChildren(
      ...[switcher, made("h2", {}, table.name), made("p", {}, `${facts.join("; ")}.`), ...table.notes.map((note) => made("p", { role: "status" }, note)), wanted].filter(Boolean),
    );
  };

  const link = (table, row, words) => (linkOf(table, row) ? made("a", { href: `#${linkOf(table, row)}`, title: "Show this run" }, words) : words);

  const describing = ({ dimensions }) =>
    dimensions
      .filter(({ param, key }) => !param && key !== "gpus" && key !== "scheduler" && key !== "seed")
      .map(({ title, label, values, at }) => ({
        title: title.split(",")[0],
        of: (row) => values[at[row]],
        show: (row) => (at[row] < 0 ? "–" : label(values[at[row]])),
        isNumber: values.every((value) => typeof value === "number"),
      }));

  const failing = (table) => ({
    title: "Failure",
    of: (row) => table.columns.get("failure")[row] || null,
    show: (row) => {
      const kind = table.columns.get("failure")[row];
      return kind ? made("span", { className: "error" }, `${FAILURES[kind] ?? kind}: ${table.columns.get("error")[row]}`) : "";
    },
  });

  const finished = ({ columns }) => ({
    title: "Finished",
    about: "Jobs that ran to their end, of all jobs",
    of: (row) => columns.get("finished")[row],
    show: (row) => `${columns.get("finished")[row].toLocaleString("en")} of ${columns.get("jobs")[row].toLocaleString("en")}`,
    isNumber: true,
  });

  const listRuns = (where, cell, measured, there) => {
    const { table } = there;
    const columns = [
      { title: "Run", of: (row) => table.columns.get("seed")[row], show: (row) => link(table, row, seedOf(table, row)) },
      ...describing(there),
      ...measured.map((metric) => ({
        title: metric.title,
        about: metric.about,
        of: (row) => table.columns.get(metric.key)[row],
        show: (row) => inWords(metric, table.columns.get(metric.key)[row]),
        isNumber: true,
      })),
      ...(cell.leaving.length ? [finished(table)] : []),
      ...(cell.failed.length ? [failing(table)] : []),
    ];
    const title = `Runs of ${where}`;
    const close = made("button", { type: "button", className: "quiet", onclick: () => (runs.hidden = true) }, "Close");
    runs.replaceChildren(made("div", { className: "row" }, made("h3", {}, title), close), sortable(`${title}, in numbers`, columns, cell.rows, { by: -1, down: false }));
    runs.setAttribute("aria-label", title);
    runs.hidden = false;
    runs.scrollIntoView({ block: "nearest" });
    runs.focus({ preventScroll: true });
  };

  const drawFailures = (there) => {
    const { table } = there;
    const failed = [...table.columns.get("failure").keys()].filter((row) => table.columns.get("failure")[row]);
    if (!failed.length) return failures.replaceChildren();
    const columns = [
      { title: "Run", of: (row) => table.columns.get("seed")[row], show: (row) => link(table, row, seedOf(table, row)) },
      ...describing(there),
      failing(table),
    ];
    const title = `${counted(failed.length, "run", "runs")} that failed`;
    failures.replaceChildren(made("details", {}, made("summary", {}, title), sortable(title, columns, failed, { by: -1, down: false })));
  };

  const drawSaving = ({ table, look }, axes) => {
    const name = `${table.name.replace(/\.(csv|parquet)$/, "")}-${axes.map(({ metric }) => metric.key).join("-")}`;
    const all = () => [...panels.querySelectorAll("figure > svg")];
    const each = async (then) => {
      for (const [at, svg] of all().entries()) await then(svg, all().length > 1 ? `${name}-${at + 1}` : name);
    };
    const asSvg = () => each((svg, name) => page.save(`${name}.svg`, new Blob([charts.fileOf(svg)], { type: "image/svg+xml" })));
    const asPng = () =>
      each(async (svg, name) => {
        const { width, height } = svg.viewBox.baseVal;
        page.save(`${name}.png`, await page.pixelsOf(charts.fileOf(svg), width, height));
      });
    saving.replaceChildren(
      made("button", { type: "button", className: "quiet", onclick: asSvg, title: "The charts as drawings" }, "Save SVG"),
      made("button", { type: "button", className: "quiet", onclick: asPng, title: "The charts as pictures" }, "Save PNG"),
      look.view === "heat"
        ? ""
        : made("button", { type: "button", className: "quiet", "aria-pressed": String(axes.some(({ isLog }) => isLog)), onclick: () => set({ log: !axes.some(({ isLog }) => isLog) }) }, "Logarithmic"),
    );
  };

  const drawCells = ({ table, look }, points, { x, series, facet }, axes) => {
    const isPareto = look.view === "pareto";
    const ofDimension = (dimension, nth) => ({
      title: dimension.title.split(",")[0],
      of: ({ cell }) => dimension.values[cell.places[nth]],
      show: ({ cell }) => dimension.label(dimension.values[cell.places[nth]]),
      isNumber: dimension.isNumeric,
    });
    const shownDimensions = [facet, series, x].map((dimension, nth) => dimension && [dimension, nth]).filter(Boolean);
    const numbers = axes.flatMap(({ metric, relative, unit }, at) => {
      const title = relative ? `${metric.title} ÷ baseline` : titleIn(metric, unit);
      const number = (title, about, of) => ({ title, about, of, show: (point) => significant(of(point) / unit.by), isNumber: true });
      return [
        number(title, metric.about, ({ cell }) => cell.stats[at].mean),
        number("± 95 %", `Half of the interval of the mean: ${metric.title}`, ({ cell }) => cell.stats[at].high - cell.stats[at].mean),
        number("least", `Of its runs: ${metric.title}`, ({ cell }) => cell.stats[at].least),
        number("greatest", `Of its runs: ${metric.title}`, ({ cell }) => cell.stats[at].most),
      ];
    });
    const columns = [
      ...shownDimensions.map(([dimension, nth]) => ofDimension(dimension, nth)),
      {
        title: "runs",
        about: "Lists them",
        of: ({ cell }) => cell.rows.length,
        show: ({ cell, of }) =>
          of.href
            ? made("a", { href: of.href, title: of.words }, "1")
            : made("button", { type: "button", className: "link", title: of.words, onclick: of.press }, String(cell.rows.length)),
        isNumber: true,
      },
      { title: "failed", of: ({ cell }) => cell.failed.length, show: ({ cell }) => String(cell.failed.length), isNumber: true },
      ...(points.some(({ isHollow }) => isHollow)
        ? [{ title: "leave jobs", about: "Runs with unfinished or rejected jobs: their numbers are of the jobs that finished", of: ({ cell }) => cell.leaving.length, show: ({ cell }) => String(cell.leaving.length), isNumber: true }]
        : []),
      ...(isPareto ? [{ title: "on the front", of: ({ isFront }) => (isFront ? 0 : 1), show: ({ isFront }) => (isFront ? "yes" : "") }] : []),
      ...numbers,
    ];
    const csv = () => {
      const fields = [
        ...shownDimensions.map(([{ key }]) => key),
        "runs",
        "failed",
        "leaving_jobs",
        ...(isPareto ? ["front"] : []),
        ...axes.flatMap(({ metric: { key }, relative }) => (relative ? [`${key}_relative`, `${key}_relative_low`, `${key}_relative_high`] : [key, `${key}_low`, `${key}_high`])),
      ];
      const cell = (value) => (typeof value === "number" && !Number.isFinite(value) ? "" : value);
      const data = points.map(({ cell: { places, rows, failed, leaving, stats }, isFront }) => [
        ...shownDimensions.map(([dimension, nth]) => dimension.values[places[nth]]),
        rows.length,
        failed.length,
        leaving.length,
        ...(isPareto ? [Number(isFront)] : []),
        ...stats.flatMap(({ mean, low, high }) => [mean, low, high].map(cell)),
      ]);
      return Papa.unparse({ fields, data }, { escapeFormulae: true, newline: "\n" });
    };
    const said = made("span", { className: "hint", role: "status" });
    const copy = made("button", { type: "button", className: "quiet" }, "Copy as CSV");
    copy.onclick = async () => {
      const isCopied = await navigator.clipboard.writeText(csv()).then(() => true, () => false);
      said.textContent = isCopied ? "Copied." : "This browser does not let the page copy: save it instead.";
    };
    const keep = made("button", { type: "button", className: "quiet" }, "Save these as CSV");
    keep.onclick = () => page.save(`${table.name.replace(/\.(csv|parquet)$/, "")}-means.csv`, new Blob([csv()], { type: "text/csv" }));
    cells.replaceChildren(sortable("Means", columns, points, look.sort), made("div", { className: "row" }, copy, keep, said));
  };

  new ResizeObserver(([{ contentRect }]) => {
    const wide = Math.floor(contentRect.width);
    if (wide === width || !wide) return;
    width = wide;
    // Not within the notice: what is drawn changes sizes again, of which browsers complain.
    requestAnimationFrame(draw);
  }).observe(root);

  return {
    root,
    /** Shows a table under an id; what was chosen stays where the same things vary. */
    show: (id, table, sought = null) => {
      const there = opened(table, sought);
      const before = tables.get(id);
      const keys = ({ dimensions, sought }) => [...dimensions.map(({ key }) => key), sought?.metric].join(" ");
      if (before && keys(before) === keys(there)) there.look = before.look;
      else runs.hidden = true;
      tables.set(id, there);
      shown = id;
      draw();
    },
    /** Whether there is something to show. */
    isEmpty: () => !tables.size,
  };
};
