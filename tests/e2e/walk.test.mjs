// A walk (walk.mjs) over each build that people run: the one of `cargo xtask serve`, with its debug
// assertions, the published page, and the single file. The published page stands under the strictest policy that
// docs/hosting.md names, which forbids nothing that the page does.
//
// `cargo xtask walk --steps N --seed S` takes a longer one.

import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { browser, dist, served } from "./browser.mjs";
import { POLICY, TRUSTED_TYPES, violations } from "./security_policy.mjs";
import { serve } from "./server.mjs";
import { walk } from "./walk.mjs";

const seed = Number(process.env.SWITCHYARD_WALK_SEED ?? 10);
const steps = Number(process.env.SWITCHYARD_WALK_STEPS ?? 150);

/** The published page on a server of its own, under a strict policy. */
async function hosted(t) {
  const server = await serve(dist, "/hosted/", { headers: { "content-security-policy": `${POLICY}; ${TRUSTED_TYPES}` } });
  t.after(() => server.close());
  return server.url;
}

const builds = [
  ["the build that is served", served, "index.html"],
  ["the published page", dist, hosted],
  ["the single file", dist, pathToFileURL(join(dist, "switchyard.html")).href],
];

for (const [name, folder, address] of builds) {
  describe(name, () => {
    const { open } = browser([], folder);

    test(`a walk over ${name}`, async (t) => {
      const url = typeof address === "string" ? address : await address(t);
      const page = await open(t, url, { before: violations, most: 600_000 + steps * 2_000 });
      const { views, controls, steps: taken } = await walk(page, { seed, steps });
      t.diagnostic(`seed ${seed}: ${taken} steps, ${controls} controls`);
      assert.deepEqual(views.sort(), ["Compare", "Fragmentation", "Goodput", "Jobs", "Queues", "Sweep", "Timeline", "Yard"]);
      assert.deepEqual(await page.evaluate(() => violations), []);
    });
  });
}
