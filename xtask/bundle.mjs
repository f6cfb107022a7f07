// Bundles scripts that are made of npm packages: of each folder of web/ that is named, src/main.js and what it imports
// into target/web/FOLDER.js, one script that asks for nothing else. Trunk calls this before it builds (Trunk.toml).

import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const target = join(root, "target/web");
mkdirSync(target, { recursive: true });
for (const name of process.argv.slice(2)) {
  const folder = join(root, "web", name);
  const { build } = createRequire(join(folder, "package.json"))("esbuild");
  await build({
    entryPoints: [join(folder, "src/main.js")],
    outfile: join(target, `${name}.js`),
    bundle: true,
    minify: true,
    format: "iife",
    target: ["chrome111", "firefox114", "safari16.4"],
    legalComments: "none",
    logLevel: "warning",
  });
}
