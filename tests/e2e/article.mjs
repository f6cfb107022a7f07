// An article with figures, for the tests of <switchyard-view>: what it hears of them, and how they are asked.

/** An article, with what it hears noted in order. */
export const article = (content, script = "view.js") =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>An article</title><link rel="icon" href="data:,"><script type="module" src="${script}"></script>${content}</html>`;

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

/** Whether a figure plays, and where its clock stands, as it has told last. */
export const playing = (page, id) => page.evaluate((id) => noted.filter(([of, what]) => of === id && what === "time").at(-1)?.[2].playing, id);
export const timeOf = (page, id) => page.evaluate((id) => noted.filter(([of, what]) => of === id && what === "time").at(-1)?.[2].t, id);
