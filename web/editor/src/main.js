// The editor of schedulers: `globalThis.switchyardEditor(id, file)` opens it beside the yard, with the scheduler of this number; with a
// file's `{ text, name }`; with the course, where `file` is "teach"; or, without either, with what was written last. static/author.js loads it
// when it is first asked for.

import { panel } from "./panel.js";

let opened = null;

globalThis.switchyardEditor = async (id, file) => {
  opened ??= panel(document.getElementById("editor"));
  try {
    const there = await opened;
    there.onEnd(() => (opened = null));
    await there.open(id, file);
  } catch (error) {
    opened = null;
    throw error;
  }
};
