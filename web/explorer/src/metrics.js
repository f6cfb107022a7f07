// The numbers of a run (docs/metrics.md): what they are called, in which unit they stand, and which way is better. The
// table is the engine's, written down as JSON.

import RUST from "../../../core/app/for_scripts.json" with { type: "json" };
import TABLE from "../../../core/report/metrics.json" with { type: "json" };
import { wordsOf } from "./spec.js";

const BETTER = { lower: -1, higher: 1, neither: 0 };
/** Values of these stand in the unit that suits them; all others in the word for theirs. */
const SCALED = { seconds: "time", share: "share" };
const sentence = (text) => (text ? `${text[0].toUpperCase()}${text.slice(1)}.` : "");

const shown = ({ id, words, meaning, formula, unit, better }) => ({
  key: id,
  title: words,
  unit: SCALED[unit] ?? RUST.unit_words[unit],
  better: BETTER[better],
  about: [meaning, sentence(formula)].filter(Boolean).join(" "),
});
const GROUPS = ["run", "detail", "jobs", "failures"];

/** What is compared first. How many jobs there are is no outcome. */
export const METRICS = GROUPS.flatMap((group) => TABLE.filter((metric) => metric.group === group && metric.column && metric.id !== "jobs")).map(shown);

const FORMER = new Map(TABLE.flatMap(({ id, path, aliases }) => [id, path, ...aliases].filter(Boolean).map((name) => [name, id])));

/** Columns by their present names: the id of a metric where one has a former name of it, and the id is not there. */
export const columnsOf = (names) =>
  names.map((name) => {
    const id = FORMER.get(name) ?? FORMER.get(name.replaceAll("-", "_"));
    return id && !names.includes(id) ? id : name;
  });

/** Those that a table has something of, besides zeros, in words for what it counts. */
export const metricsOf = (table) => {
  const words = wordsOf(table);
  const some = ({ key }) => table.columns.get(key)?.some((value) => Number.isFinite(value) && value !== 0);
  return METRICS.filter(some).map((metric) => ({ ...metric, title: words(metric.title), about: words(metric.about), unit: words(metric.unit) }));
};

/** The unit in which values of a metric are shown together: by what they are divided, and its name. */
export const unitFor = ({ unit }, values) => {
  if (unit === "share") return { by: 0.01, name: "%" };
  if (unit !== "time") return { by: 1, name: unit };
  const most = values.reduce((most, value) => (value > most ? value : most), 0);
  const { seconds, name } = RUST.span_units.find(({ from }) => most >= from);
  return { by: seconds, name };
};

/** A metric's title with the unit of its values, where the title does not say it. */
export const titleIn = ({ title }, { name }) => (name && !title.includes(name) ? `${title}, ${name}` : title);

const short = (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);

/** A number to three figures, as the page writes them (core/app/src/format.rs). */
export const significant = (value) => {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size === 0) return "0";
  const sign = value < 0 ? "−" : "";
  if (size < 1e-3 || size >= 1e7) {
    const power = Math.floor(Math.log10(size));
    return `${sign}${(size / 10 ** power).toFixed(2)}e${power}`.replace("e-", "e−");
  }
  if (size >= 99.95) return sign + Math.round(size).toLocaleString("en");
  if (size >= 9.995) return sign + short(size.toFixed(1));
  if (size >= 1) return sign + short(size.toFixed(2));
  return sign + short(size.toFixed(2 - Math.floor(Math.log10(size))));
};

/** A value of a metric on its own, with its unit. */
export const inWords = (metric, value) => {
  if (!Number.isFinite(value)) return "–";
  const { by, name } = unitFor(metric, [value]);
  const number = Math.abs(value / by);
  const text = significant(value / by);
  // A span that is no whole number has three figures, as the page writes them.
  const isCut = metric.unit === "time" && by > 1 && number < 99.95 && Math.abs(number - Math.round(number)) >= 1e-6;
  const zeros = isCut && !text.includes(".") ? (number < 9.995 ? ".00" : ".0") : "";
  return `${text}${zeros}${name && ` ${name}`}`;
};
