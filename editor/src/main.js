// The editor of schedulers: `globalThis.switchyardEditor(id)` opens it beside the yard, with the scheduler of
// this number or, without one, with what was written last. static/author.js loads it when it is first asked for.

import { panel } from "./panel.js";

let opened = null;

globalThis.switchyardEditor = async (id) => {
  opened ??= panel(document.getElementById("editor"));
  try {
    const there = await opened;
    there.onEnd(() => (opened = null));
    await there.open(id);
  } catch (error) {
    opened = null;
    throw error;
  }
};
