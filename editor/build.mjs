// Bundles the editor of schedulers: src/ and CodeMirror into target/web/editor.js, one script that sets
// globalThis.switchyardEditor and asks for nothing else. Trunk calls this before it builds (Trunk.toml).

import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const folder = join(here, "../target/web");
mkdirSync(folder, { recursive: true });
await build({
  entryPoints: [join(here, "src/main.js")],
  outfile: join(folder, "editor.js"),
  bundle: true,
  minify: true,
  format: "iife",
  target: ["chrome111", "firefox114", "safari16.4"],
  legalComments: "none",
  logLevel: "warning",
});
