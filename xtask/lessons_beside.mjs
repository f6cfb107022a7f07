// Lays the lessons and the article beside a page that `cargo xtask serve` shows, once they are made, and lets the page
// lead to them. Trunk runs it on each page that it has built.
// SWITCHYARD_LESSONS=FOLDER node lessons_beside.mjs [PAGE'S FOLDER]

import { existsSync } from "node:fs";
import { cp, readFile, writeFile } from "node:fs/promises";

const made = process.env.SWITCHYARD_LESSONS;
const folder = process.argv[2] ?? process.env.TRUNK_STAGING_DIR;
const LINK = '<link rel="help" href="./lessons/index.html">';

if (made && existsSync(`${made}/lessons/index.html`)) {
  await cp(made, folder, { recursive: true });
  const index = `${folder}/index.html`;
  const page = await readFile(index, "utf8");
  if (!page.includes(LINK)) await writeFile(index, page.replace("</title>", `</title>\n    ${LINK}`));
}
