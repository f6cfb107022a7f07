// A walk (walk.mjs) over each build that people run: the one of `cargo xtask serve`, with its debug
// assertions, the published page, and the single file. The last is long.
//
// `cargo xtask walk --steps N --seed S` takes a longer one.

import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { browser, dist, long, served } from "./browser.mjs";
import { walk } from "./walk.mjs";

const seed = Number(process.env.SWITCHYARD_WALK_SEED ?? 10);
const asked = process.env.SWITCHYARD_WALK_STEPS;

const builds = [
  // Its steps take three times as long.
  ["the build that is served", served, "index.html", {}, 60],
  ["the published page", dist, "index.html", {}, 150],
  ["the single file", dist, pathToFileURL(join(dist, "switchyard.html")).href, long, 150],
];

for (const [name, folder, address, options, usual] of builds) {
  const steps = Number(asked ?? usual);
  describe(name, () => {
    const { open } = browser([], folder);

    test(`a walk over ${name}`, options, async (t) => {
      const page = await open(t, address, { most: 600_000 + steps * 2_000 });
      const { views, controls, steps: taken } = await walk(page, { seed, steps });
      t.diagnostic(`seed ${seed}: ${taken} steps, ${controls} controls`);
      assert.deepEqual(views.sort(), ["Compare", "Fragmentation", "Goodput", "Jobs", "Queues", "Start", "Sweep", "Timeline", "Yard"]);
    });
  });
}
