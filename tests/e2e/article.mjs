// An article with figures, for the tests of <switchyard-view>: what it hears of them, and how they are asked.

/** A figure of three jobs, by its attributes. */
export const THREE = 'src="three-jobs" policy="fifo srtf" t="3"';

/** An article, and how it brings the script along, if it does. */
export const article = (content, script = '<script type="module" src="view.js"></script>') =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>An article</title><link rel="icon" href="data:,">${script}${content}</html>`;

/** Notes events in the page, from before its scripts. */
export const noted = (page) =>
  page.addInitScript(() => {
    globalThis.noted = [];
    for (const name of ["ready", "time", "select", "done", "goal", "error"])
      addEventListener(name, (event) => event.target?.id && noted.push([event.target.id, name, event.detail]), true);
    globalThis.forbidden = [];
    addEventListener("securitypolicyviolation", (event) => forbidden.push(`${event.effectiveDirective}: ${event.blockedURI}`));
  });

export const heard = (page, id, name) =>
  page.waitForFunction(([id, name]) => noted.find(([of, what]) => of === id && what === name)?.[2], [id, name], { timeout: 60_000 }).then((found) => found.jsonValue());

/** Does something with an element in the article. */
export const on = (page, id, act, ...given) => page.evaluate(([id, act, given]) => new Function("element", "given", `return (${act})(element, ...given)`)(document.getElementById(id), given), [id, String(act), given]);

/** The frames of figures, without the one that has their workers. */
export const figures = (page) => page.frames().filter((frame) => /[?&]embed=/.test(frame.url()));

/** What a figure has told last of its clock: whether it plays, and where it stands. */
const last = (page, id) => page.evaluate((id) => noted.findLast(([of, what]) => of === id && what === "time")?.[2], id);
export const playing = async (page, id) => (await last(page, id))?.playing;
export const timeOf = async (page, id) => (await last(page, id))?.t;

/** Waits until a figure has told that it plays, or that it does not. */
export const plays = (page, id, is) => page.waitForFunction(([id, is]) => noted.findLast(([of, what]) => of === id && what === "time")?.[2].playing === is, [id, is], { timeout: 30_000 });
