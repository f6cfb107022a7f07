// The widget of notebooks (python/package/switchyard/_view.py), as a notebook of another host loads it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { deflateRawSync } from "node:zlib";
import { browser, dist } from "./browser.mjs";
import { serve } from "./server.mjs";

const { open } = browser();

/** The widget's script, which stands in a text of Python's. */
const SCRIPT = readFileSync(fileURLToPath(new URL("../../python/package/switchyard/_view.py", import.meta.url)), "utf8")
  .match(/_SCRIPT = """([\s\S]*?)"""/)[1]
  .replaceAll("\\\\", "\\");

/** A cell of a notebook whose widget has these values. */
const cell = (values) => `<!doctype html><title>A notebook</title><link rel="icon" href="data:,"><div id="cell"></div>
<script type="module">
  import widget from "./widget.js";
  const values = ${JSON.stringify(values)};
  globalThis.told = {};
  const model = { get: (name) => values[name] ?? "", set: (name, value) => (told[name] = value), save_changes() {}, on() {} };
  await widget.render({ model, el: document.getElementById("cell") });
</script>`;

async function shown(t, headers, values, tolerated) {
  const page_of = await serve(dist, "/there/", { headers });
  t.after(() => page_of.close());
  const pages = { "notebook.html": cell({ ...values, page: page_of.url }), "widget.js": SCRIPT };
  const notebook = await serve(dist, "/notebook/", { pages });
  t.after(() => notebook.close());
  return { page: await open(t, `${notebook.url}notebook.html`, { tolerated }), address: page_of.url };
}

test("a trace that is open in Python runs in a notebook's figure, within a link", async (t) => {
  const jobs = "#switchyard 1\n#cluster 1x2\njob,submit,duration,gpus\na,0,30,2\nb,1,10,1\nc,2,20,1\n";
  const link = `v=1&experiment=${deflateRawSync(jobs).toString("base64url")}`;
  const values = { link, policy: "fifo sjf", view: "yard", height: 300 };
  const { page } = await shown(t, { "access-control-allow-origin": "*" }, values, /foreign request/);
  const told = await page.waitForFunction(() => told.results, null, { timeout: 60_000 });
  const { runs } = await told.jsonValue();
  assert.deepEqual(runs.map(({ policy, jobs, jct }) => [policy, jobs, jct.mean]).at(0), ["fifo", 3, (30 + 39 + 48) / 3]);
  assert.equal(runs.length, 2);
});

test("where the page's host lets nobody else read, the figure's place says so", async (t) => {
  const { page, address } = await shown(t, {}, { src: "lab", policy: "fifo" }, /foreign request|CORS policy|ERR_FAILED/);
  await page.waitForFunction(() => document.getElementById("cell").textContent, null, { timeout: 60_000 });
  const said = await page.locator("#cell").textContent();
  assert.match(said, /answers, but a notebook cannot load .*Access-Control-Allow-Origin, which `cargo xtask serve` does/);
  assert.ok(said.startsWith(address), said);
});
