// What the page is asked and told of its schedulers (static/embed.js and web/src/ui/page.rs).

/** The schedulers of the list, with the figures of those complete. */
export const cards = () =>
  globalThis.switchyardEmbed.page.cards().map(({ jct_mean, jct_p95, rho_mean, ...card }) => ({ ...card, figures: Number.isFinite(jct_mean) || card.left ? { jct_mean, jct_p95, rho_mean } : null }));

/** A value of a metric with its unit. */
export const inWords = (id, value) => globalThis.switchyardEmbed.page.inWords(id, value);

/** Adds a scheduler, or changes the one of this number; says why it cannot, if so. */
export const put = (id, spec) => globalThis.switchyardEmbed.page.putPolicy(id, spec) ?? null;
export const remove = (id) => globalThis.switchyardEmbed.page.remove(id);
export const rename = (id, name) => globalThis.switchyardEmbed.page.rename(id, name);
/** Ends a scheduler's run where it is. */
export const cancel = (id) => globalThis.switchyardEmbed.page.cancel(id);

/** The jobs whose completion times differ between two schedulers: `ChangedJobs`, or null. */
export const changedJobs = (before, after) => globalThis.switchyardEmbed.page.changedJobs(before, after) ?? null;
/** Chooses the job of this name. */
export const select = (name) => globalThis.switchyardEmbed.page.select(name);

/** Has a function called each time after something of them has changed; gives what ends that. */
export const onChange = (look) => globalThis.switchyardEmbed.onChange((changes) => changes.includes("runs") && look());

/** A link to what is shown. */
export const link = () => globalThis.switchyardEmbed.page.link();

/** Puts a link into the address, which the page follows. */
export const follow = (fragment) => void (location.hash = fragment);

/** The same, until the page shows it. */
export const followed = async (fragment) => {
  if (location.hash !== `#${fragment}`) {
    const heard = new Promise((resolve) => addEventListener("hashchange", resolve, { once: true }));
    follow(fragment);
    await heard;
  }
  await globalThis.switchyardEmbed.until((look) => look.open || look.said);
};

/** Whether a scheduler's text says a script. */
export const isScript = (spec) => /^script(\[|$| )/.test(spec);

/** Whether its policy sees the truth, as its text says. */
export const isOracle = (spec) => /[[,]oracle=true[,\]]/.test(spec);

/** A name without what a scheduler's text gives a meaning. */
export const plain = (name) => name.replace(/[^\p{L}\p{N} ._+'-]/gu, " ").replace(/\s+/g, " ").trim().slice(0, 40);
