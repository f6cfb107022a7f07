// What the page is asked and told of its schedulers (web/src/ui/embed.rs, "cards" and what follows).

const ask = (...of) => globalThis.switchyardEmbed.ask(...of);

/**
 * The schedulers of the list: who they are, how far their runs are, and three figures of those complete. `left`:
 * "149 of 240 finished" where a run leaves jobs behind, else "".
 */
export const cards = () => {
  const flat = ask("cards") ?? [];
  const each = 11;
  return Array.from({ length: flat.length / each }, (_, at) => {
    const [id, spec, name, given, status, why, mean, p95, rho, left] = flat.slice(at * each, at * each + each);
    return { id, spec, name, given, status, why, left, figures: Number.isFinite(mean) || left ? { mean, p95, rho } : null };
  });
};

/** Adds a scheduler, or changes the one of this number; says why it cannot, if so. */
export const put = (id, spec) => ask("script", [id, spec]) ?? null;
export const remove = (id) => void ask("remove", id);
export const rename = (id, name) => void ask("name", [id, name]);

/** A link to what is shown. */
export const link = () => ask("link");

/** Puts a link into the address, which the page follows. */
export const follow = (fragment) => void (location.hash = fragment);

/** Whether a scheduler's text says a script. */
export const isScript = (spec) => /^script(\[|$| )/.test(spec);

/** A name without what a scheduler's text gives a meaning. */
export const plain = (name) => name.replace(/[^\p{L}\p{N} ._+'-]/gu, " ").replace(/\s+/g, " ").trim().slice(0, 40);
