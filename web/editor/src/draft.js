// The text that is being written, in the browser's local storage: a reload or a crash loses none of it. A
// frame in an article keeps nothing (static/stored_traces.js).

const KEY = "switchyard script";

/** What was being written: `{ open, text, name, live, kept, file, aside }`, or null. */
export const draft = () => {
  try {
    const held = JSON.parse(localStorage.getItem(KEY));
    return typeof held?.text === "string" ? held : null;
  } catch {
    return null;
  }
};

export const keep = (held) => {
  try {
    localStorage.setItem(KEY, JSON.stringify(held));
  } catch {
    // Without storage the link still has the last version that ran.
  }
};
