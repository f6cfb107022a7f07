// Lays beside a page that `cargo xtask serve` shows what is made once the page is there (xtask/src/beside.rs): the programs
// that few ask for, the lessons and the article. Trunk runs it on each page that it has built: programs that are there
// already are made anew first, so that they are of the same sources as the page.
// SWITCHYARD_BESIDE=FOLDER node beside.mjs [PAGE'S FOLDER]

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { copyFile, cp, readFile, readdir, rename, writeFile } from "node:fs/promises";

const made = process.env.SWITCHYARD_BESIDE;
const folder = process.argv[2] ?? process.env.TRUNK_STAGING_DIR;
const LINK = '<link rel="help" href="./lessons/index.html">';

if (made && existsSync(`${made}/columnar_bg.wasm`)) {
  if (process.env.SWITCHYARD_XTASK) {
    const release = process.env.TRUNK_PROFILE === "release" ? ["--release"] : [];
    const { status } = spawnSync(process.env.SWITCHYARD_XTASK, ["beside", "--programs", ...release], { stdio: "inherit" });
    if (status !== 0) process.exit(status ?? 1);
  }
  for (const entry of await readdir(made, { withFileTypes: true })) {
    if (entry.isDirectory()) {
      await cp(`${made}/${entry.name}`, `${folder}/${entry.name}`, { recursive: true });
      continue;
    }
    // It comes whole: somebody may be waiting for it.
    const part = `${folder}/${entry.name}.part`;
    await copyFile(`${made}/${entry.name}`, part);
    await rename(part, `${folder}/${entry.name}`);
  }
  if (existsSync(`${made}/lessons/index.html`)) {
    const index = `${folder}/index.html`;
    const page = await readFile(index, "utf8");
    if (!page.includes(LINK)) await writeFile(index, page.replace("</title>", `</title>\n    ${LINK}`));
  }
}
