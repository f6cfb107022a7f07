// What varies in a table: columns of texts and numbers, and what stands within policies, settings and clusters.
// Each dimension has its values in order, and of every run the number of its value (-1: it has none).

import { CODE, gpusOf, policyBut, policyOf, settingsOf, shortPolicy, wordsOf } from "./spec.js";

/** What a parameter is where a policy does not say it. */
const DEFAULT = "default";

const isNumber = (text) => text !== "" && Number.isFinite(Number(text));

/** What values are called, each by another name: a second `script` is `script #2`. */
const named = (values, name) => {
  const times = new Map();
  const names = new Map(
    values.map((value) => {
      const [text, before] = [name(value), times.get(name(value)) ?? 0];
      times.set(text, before + 1);
      return [value, before ? `${text} #${before + 1}` : text];
    }),
  );
  return (value) => names.get(value) ?? name(value);
};

/** A dimension of what each run has; null: nothing. `name`: what a value is called, if not as it is written. */
const dimension = (key, title, each, { name = String, ...more } = {}) => {
  const distinct = [...new Set(each.filter((value) => value !== null))];
  const isNumeric = distinct.every((value) => isNumber(String(value)));
  if (isNumeric) distinct.sort((a, b) => a - b);
  else if (distinct.some((value) => isNumber(String(value)))) {
    distinct.sort((a, b) => isNumber(String(a)) - isNumber(String(b)) || a - b || 0);
  }
  const values = isNumeric ? [...new Set(distinct.map(Number))] : distinct;
  const places = new Map(values.map((value, at) => [value, at]));
  const at = Int32Array.from(each, (value) => (value === null ? -1 : places.get(isNumeric ? Number(value) : value)));
  return { key, title, values, isNumeric, at, label: named(values, name), ...more };
};

/** Each distinct text looked at once. */
const remembered = (of) => {
  const known = new Map();
  return (text) => {
    if (!known.has(text)) known.set(text, of(text));
    return known.get(text);
  };
};

/** Those that have more than one value, the most telling first. */
export const dimensionsOf = (table) => {
  const { columns } = table;
  const policies = columns.get("policy");
  const schedulers = columns.get("scheduler");
  const parsed = remembered(policyOf);
  const settings = remembered(settingsOf);
  const found = [dimension("load", "Load, × as recorded", columns.get("load"))];

  // Parameters: what a scheduler has at all in this table, it has at its default elsewhere.
  const has = new Map();
  for (const text of new Set(policies)) {
    const { name, params } = parsed(text);
    for (const key of params.keys()) has.set(key, (has.get(key) ?? new Set()).add(name));
  }
  for (const [key, names] of has) {
    const value = (text) => {
      const { name, params } = parsed(text);
      return names.has(name) ? (params.get(key) ?? DEFAULT) : null;
    };
    const name = key === CODE ? () => CODE : String;
    found.push(dimension(`param:${key}`, `${key} of ${[...names].join(", ")}`, policies.map(remembered(value)), { param: key, name }));
  }
  const keys = new Set([...new Set(columns.get("settings"))].flatMap((text) => [...settings(text).keys()]));
  for (const key of keys) {
    const value = (text) => settings(text).get(key) ?? null;
    found.push(dimension(`set:${key}`, key.replaceAll("_", " "), columns.get("settings").map(value)));
  }
  const gpus = columns.get("cluster").map(remembered(gpusOf));
  if (gpus.every((count) => count !== null)) found.push(dimension("gpus", wordsOf(table)("GPUs of the cluster"), gpus));

  const policy = dimension("policy", "Policy", policies, { isPolicy: true, name: shortPolicy });
  const scheduler = dimension("scheduler", "Scheduler", schedulers, { isPolicy: true });
  found.push(policy);
  // Where each scheduler is one policy they are the same.
  if (scheduler.values.length < policy.values.length) found.push(scheduler);
  found.push(dimension("cluster", "Cluster", columns.get("cluster")));
  found.push(dimension("trace", "Trace", columns.get("trace")));
  found.push(dimension("seed", "Seed", columns.get("seed")));
  return found.filter(({ values }) => values.length > 1);
};

/** The policy without a parameter: the lines over that parameter's values. */
export const without = (policies, param) =>
  dimension("policy", "Policy", policies.map(remembered((text) => policyBut(text, param))), { isPolicy: true, name: shortPolicy });

/** What to look at first: what is across, what is a line (or a row) each, and what a panel each. */
export const firstLook = (dimensions) => {
  const named = (key) => dimensions.find((dimension) => dimension.key === key);
  const policy = named("policy");
  const x =
    dimensions.find(({ isNumeric, key }) => isNumeric && key !== "seed") ??
    dimensions.find(({ key, param }) => param || key.startsWith("set:")) ??
    policy ??
    dimensions[0];
  const series = x === policy ? null : (policy ?? null);
  const facet = [named("trace"), named("cluster")].find((of) => of && of !== x && !(x?.key === "gpus" && of.key === "cluster"));
  return { x: x?.key ?? "", series: series?.key ?? "", facet: facet?.key ?? "" };
};
