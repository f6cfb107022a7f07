// The editor of schedulers, as tests open it and write in it.

import { finished } from "./browser.mjs";

/** The text that is edited. */
export const text = (page) => page.locator(".cm-content");

/** Opens the editor once so many runs are at their end. */
export async function begin(page, runs = 2) {
  await finished(page, runs);
  await page.getByRole("button", { name: "Write a scheduler" }).click();
  await text(page).waitFor();
}

/** Puts another text in the place of the one that is there. */
export async function write(page, script) {
  await text(page).focus();
  await page.keyboard.press("Control+A");
  await page.keyboard.insertText(script);
}

/** What the author's worker answers (web/src/workers/author.rs). */
export const asked = (page, question) =>
  page.evaluate(async (question) => {
    const worker = await switchyardWorkers.start("author", "scripts");
    const next = () => new Promise((resolve) => (worker.onmessage = ({ data }) => resolve(JSON.parse(data))));
    await next();
    worker.postMessage(JSON.stringify(question));
    return next().finally(() => worker.terminate());
  }, question);
