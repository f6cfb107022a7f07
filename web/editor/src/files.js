// Schedulers of one's own, by name, in the browser's local storage: whatever somebody has typed is one of them, until they
// remove it. A frame in an article keeps nothing (static/stored_traces.js).

const KEY = "switchyard scripts";

/**
 * A file.
 * @typedef {object} OwnFile
 * @property {number} id
 * @property {string} name
 * @property {string} text
 */

/** All, as another tab may have left them. */
export const files = () => {
  try {
    const held = JSON.parse(localStorage.getItem(KEY));
    return Array.isArray(held) ? held.filter((file) => typeof file?.text === "string" && Number.isInteger(file.id)) : [];
  } catch {
    return [];
  }
};

/** Whether the browser has taken them. */
const write = (all) => {
  try {
    localStorage.setItem(KEY, JSON.stringify(all));
    return true;
  } catch {
    return false;
  }
};

export const file = (id) => files().find((one) => one.id === id) ?? null;

/** A name that no other file has. */
const free = (name, id) => {
  const taken = new Set(files().filter((one) => one.id !== id).map((one) => one.name));
  const base = name || "Script";
  if (!taken.has(base)) return base;
  let at = 2;
  while (taken.has(`${base} ${at}`)) at += 1;
  return `${base} ${at}`;
};

/** Keeps a text under a name, in the place of the file of this number or as another; gives the file, or null. */
export const keepFile = (id, name, text) => {
  const all = files();
  const at = all.findIndex((one) => one.id === id);
  const own = { id: at < 0 ? Math.max(0, ...all.map((one) => one.id)) + 1 : id, name: free(name, id), text };
  all.splice(at < 0 ? all.length : at, 1, own);
  return write(all) ? own : null;
};

/** Removes a file; gives it, so that it can be put back. */
export const removeFile = (id) => {
  const gone = file(id);
  if (gone) write(files().filter((one) => one.id !== id));
  return gone;
};

/** Puts a file back. */
export const putBack = (gone) => write([...files().filter((one) => one.id !== gone.id), gone].sort((a, b) => a.id - b.id));
