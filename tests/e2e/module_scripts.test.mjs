// Mutated scripts through the module, in Node: each ends in a result or in an error in words, and the worker lives.
// SWITCHYARD_SCRIPTS names a file of more of them than there are here by default, from
// `cargo run -p switchyard-core --features scripts --example mutated_scripts -- 100000 1`; SWITCHYARD_MINUTES is how long
// they may take.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { dist } from "./browser.mjs";

const built = join(dist, "module");
assert.ok(existsSync(built), `there is no ${built}: run \`cargo xtask module\` first`);
const { open, run, SwitchyardError } = await import(pathToFileURL(join(built, "switchyard.js")).href);

const file = process.env.SWITCHYARD_SCRIPTS ?? new URL("../fixtures/mutated_scripts.jsonl", import.meta.url);
const codes = readFileSync(file, "utf8").trim().split("\n").map((line) => JSON.parse(line).code);
const most = 60_000 * Number(process.env.SWITCHYARD_MINUTES ?? 1);

test("mutated scripts end in results or in words", async (t) => {
  const trace = await open("sample:three-jobs");
  t.after(() => trace.close());
  const fates = { ran: 0, input: 0, run: 0 };
  const begin = performance.now();
  let tried = 0;
  for (const code of codes) {
    if (performance.now() - begin > most) break;
    tried += 1;
    try {
      const { runs } = await run(trace, { policies: `script[oracle=true,adaptive=true,code=${code}]` });
      assert.equal(runs.length, 1, code);
      fates.ran += 1;
    } catch (error) {
      assert.ok(error instanceof SwitchyardError && error.kind in fates, `${code}: ${error.stack}`);
      assert.match(error.message, /^script/, code);
      fates[error.kind] += 1;
    }
  }
  t.diagnostic(`${tried} of ${codes.length} scripts in ${((performance.now() - begin) / 1000).toFixed(0)} s: ${JSON.stringify(fates)}`);
  assert.ok(fates.ran > 0 && fates.input > 0, JSON.stringify(fates));
});
