// Where the page is hosted: under strict security policies, in frames without an origin, from a disk;
// and what it says where it cannot start. `docs/hosting.md` promises what is tested here.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { browser, dist, long } from "./browser.mjs";
import { serve } from "./server.mjs";
import { walk } from "./walk.mjs";

const { open } = browser();
/** A folder a view. */
const VIEWS = fileURLToPath(new URL("../../web/src/ui/views", import.meta.url));
const guide = readFileSync(fileURLToPath(new URL("../../docs/hosting.md", import.meta.url)), "utf8");

/** What stands in the n-th block of code of a kind in docs/hosting.md. */
const snippet = (kind) => guide.match(new RegExp(`\`\`\`${kind}\\n([\\s\\S]*?)\`\`\``))[1].trim();

/** The header that docs/hosting.md names. */
const POLICY = snippet("http").replace(/^Content-Security-Policy: /, "");
const TRUSTED_TYPES = "require-trusted-types-for 'script'; trusted-types switchyard";

/** A page of others with something in it. */
const article = (content) => `<!doctype html><title>An article</title><link rel="icon" href="data:,">${content}`;

/** The page on a server of its own, which sends headers and has further pages. */
async function host(t, headers, pages) {
  const server = await serve(dist, "/hosted/", { headers, pages });
  t.after(() => server.close());
  return server.url;
}

async function finished(where, runs) {
  await where.locator("[data-status=done]").nth(runs - 1).waitFor({ timeout: 120_000 });
}

/** What a page's policies forbade, as it tells by events. */
async function violations(page) {
  await page.addInitScript(() => {
    globalThis.violations = [];
    document.addEventListener("securitypolicyviolation", (event) => {
      violations.push(`${event.effectiveDirective}: ${event.blockedURI} ${event.sample}`);
    });
  });
}

test("every view and control works under a strict security policy with Trusted Types", long, async (t) => {
  const url = await host(t, { "content-security-policy": `${POLICY}; ${TRUSTED_TYPES}` });
  const page = await open(t, url, { before: violations });
  const { views } = await walk(page, { seed: 1, steps: 0 });
  const folders = readdirSync(VIEWS, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  assert.equal(views.length, folders.length);
  assert.deepEqual(await page.evaluate(() => violations), []);
});

test("the page's own policy holds: no inline script runs, no markup is made of text", async (t) => {
  for (const address of ["index.html", pathToFileURL(join(dist, "switchyard.html")).href]) {
    const page = await open(t, address, { before: violations, tolerated: /Content Security Policy|Trusted(HTML|Script)|HTMLScriptElement was directly/ });
    await finished(page, 2);
    assert.deepEqual(await page.evaluate(() => violations), []);
    const outcome = await page.evaluate(() => {
      const script = document.createElement("script");
      script.append("globalThis.intruded = true");
      let refused = "";
      try {
        document.body.append(script);
        document.body.innerHTML = "<img>";
      } catch (error) {
        refused = error.name;
      }
      return { refused, intruded: globalThis.intruded ?? false };
    });
    assert.deepEqual(outcome, { refused: "TypeError", intruded: false });
  }
});

for (const [name, headers] of [
  ["a server that allows other origins", { "access-control-allow-origin": "*" }],
  ["a server that does not: by the single file", {}],
]) {
  test(`in a sandboxed frame, from ${name}`, async (t) => {
    const frame = snippet("html").replace(/src="[^"?]*/, 'src="index.html');
    assert.match(frame, /sandbox="allow-scripts[^"]*"/);
    assert.doesNotMatch(frame, /allow-same-origin/);
    const url = await host(t, headers, { "article.html": article(frame) });
    const page = await open(t, `${url}article.html`, {
      viewport: { width: 1280, height: 900 },
      // What a frame without an origin tries first.
      tolerated: headers["access-control-allow-origin"] ? undefined : /CORS|ERR_FAILED/,
    });
    const framed = page.frameLocator("iframe");
    await framed.locator("canvas").first().waitFor({ timeout: 60_000 });
    assert.equal(await framed.locator("body").evaluate(() => self.origin), "null");
    // Styled: a player is a row of controls, not a paragraph.
    assert.equal(await framed.locator(".embedded").evaluate((page) => getComputedStyle(page).display), "grid");
    const way = await framed.locator(".way-back").getAttribute("href");
    const whole = page.frames()[1].url();
    assert.equal(whole.includes("switchyard.html"), !headers["access-control-allow-origin"]);
    assert.ok(way.length > 0);
  });
}

test("Embed makes the frame that the guide shows", async (t) => {
  const page = await open(t, "index.html#v=1&sample=lab&run=fifo", { permissions: ["clipboard-read", "clipboard-write"] });
  await finished(page, 1);
  await page.getByRole("button", { name: "Embed" }).click();
  await page.getByRole("button", { name: "Plain frame" }).click();
  await page.getByRole("button", { name: "Copy snippet" }).click();
  await page.getByText("Copied.").waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  const withoutAddress = (frame) => frame.replace(/src="[^"]*"/, "");
  assert.equal(withoutAddress(copied), withoutAddress(snippet("html")));
});

test("from a disk, the page leads to the single file", async (t) => {
  const page = await open(t, pathToFileURL(join(dist, "index.html")).href + "#v=1&sample=three-jobs&run=fifo", {
    tolerated: /./,
  });
  const link = page.getByRole("link", { name: "switchyard.html" });
  await link.waitFor();
  await link.click();
  await finished(page, 1);
});

for (const [policy, words] of [
  ["script-src 'self'; worker-src blob:", /script-src does not allow wasm-eval.*has to allow: default-src 'self'; script-src 'self' 'wasm-unsafe-eval'/],
  ["connect-src 'none'", /connect-src does not allow .*\.wasm/],
  ["worker-src 'none'", /worker-src does not allow blob/],
  ["trusted-types nobody; require-trusted-types-for 'script'", /trusted-types does not allow trusted-types-policy/],
]) {
  test(`a host whose policy says ${policy} is told of`, async (t) => {
    const url = await host(t, { "content-security-policy": policy });
    const page = await open(t, url, { tolerated: /./ });
    const told = page.locator(".stopped");
    await told.filter({ hasText: words }).waitFor();
  });
}

for (const [name, headers, frame, words] of [
  ["a policy that forbids all scripts", { "content-security-policy": "script-src 'none'" }, "", /its scripts do not run/],
  ["a frame that allows no scripts", {}, "allow-same-origin", /the sandbox has to allow scripts/],
]) {
  test(`${name} is told of without scripts`, async (t) => {
    const content = `<iframe sandbox="${frame}" src="index.html" width="600" height="400"></iframe>`;
    const url = await host(t, headers, { "article.html": article(content) });
    const page = await open(t, frame ? `${url}article.html` : url, { tolerated: /./ });
    const where = frame ? page.frameLocator("iframe") : page;
    await where.locator(".stopped").filter({ hasText: words, visible: true }).waitFor();
  });
}
