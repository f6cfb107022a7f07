// What stands within the texts of a table: a policy's parameters, settings, the size of a cluster.

import RUST from "../../../core/app/for_scripts.json" with { type: "json" };

/** A policy as `{ name, params, rest }`, of `name[key=value,…] if …`; `params` is a Map. */
export const policyOf = (text) => {
  const [, name, inner, rest] = /^([^[\s]+)(?:\[(.*?)\])?(.*)$/s.exec(text) ?? [null, text, "", ""];
  const parts = inner ? inner.split(",").map((part) => [part.split("=", 1)[0], part.slice(part.indexOf("=") + 1)]) : [];
  return { name, params: new Map(parts), rest: rest.trim() };
};

/** The parameter that a script or a plug-in travels in, which says nothing to people. */
export const CODE = RUST.code_parameter;

/** A policy without a parameter. */
export const policyBut = (text, without) => {
  const { name, params, rest } = policyOf(text);
  const kept = [...params].filter(([key]) => key !== without).map(([key, value]) => `${key}=${value}`);
  return `${name}${kept.length ? `[${kept.join(",")}]` : ""}${rest && ` ${rest}`}`;
};

/** A policy as it is shown. */
export const shortPolicy = (text) => policyBut(text, CODE);

/** Settings, `key=value` with blanks between, as a Map. Of a queue a key is `queues.QUEUE.FIELD`. */
export const settingsOf = (text) =>
  new Map(
    text
      .split(/ (?=(?:[a-z_]+|queues\.[^ =]+)=)/)
      .filter(Boolean)
      .map((part) => [part.split("=", 1)[0], part.slice(part.indexOf("=") + 1)]),
  );

/** What runs count, by their links: turns words for GPUs into words for that, as `Resource::words` does. */
export const wordsOf = ({ columns }) => {
  const links = (columns.get("link") ?? []).filter(Boolean);
  const counted = new Set(links.map((link) => (/(?:^|[#&])unit=cores(?:&|$)/.test(link) ? "core" : "GPU")));
  if (!counted.has("core")) return (text) => text;
  const words = ["GPU", "core"].filter((word) => counted.has(word));
  return (text) => text.replace(/\bGPU(s?)\b/g, (_, plural) => words.map((word) => word + plural).join(" or "));
};

/** How many GPUs a cluster has, of `16x8:v100+4x4/…`; null where that cannot be told. */
export const gpusOf = (cluster) => {
  let all = 0;
  for (const group of cluster.split("/")[0].split("+")) {
    const [, nodes, gpus] = /^(\d+)x(\d+)(?!\d)/.exec(group) ?? [];
    if (!nodes) return null;
    all += nodes * gpus;
  }
  return all;
};
