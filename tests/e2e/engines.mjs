// Firefox and WebKit, for tests that look whether the page works there too. Both are driven by what
// they ship with: Firefox by WebDriver BiDi, WebKitGTK by WebDriver.
//
// A page of either: `evaluate(fn, ...args)` runs a function in it, `screenshot()` gives a PNG.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import puppeteer from "puppeteer-core";

/** Firefox's program; undefined where there is none. */
const FIREFOX = [process.env.SWITCHYARD_FIREFOX, "/usr/bin/firefox-esr"].find((path) => path && existsSync(path));
/** WebKit's driver; undefined where there is none. */
const WEBKIT = [process.env.SWITCHYARD_WEBKIT_DRIVER, "/usr/bin/WebKitWebDriver"].find((path) => path && existsSync(path));

/** The engines by name: how to open an address in them, or `missing`, which says why that cannot be. */
export const engines = {
  Firefox: FIREFOX ? { open: openInFirefox } : { missing: "Firefox is not installed" },
  WebKit: WEBKIT ? { open: openInWebKit } : { missing: "WebKitWebDriver is not installed" },
};

async function openInFirefox(t, address, { width, height }) {
  const browser = await puppeteer.launch({
    browser: "firefox",
    executablePath: FIREFOX,
    headless: true,
    defaultViewport: { width, height },
  });
  t.after(() => browser.close());
  const page = await browser.newPage();
  await page.goto(address);
  return { evaluate: (fn, ...args) => page.evaluate(fn, ...args), screenshot: () => page.screenshot() };
}

async function openInWebKit(t, address, { width, height }) {
  const port = await freePort();
  const driver = spawn("xvfb-run", ["-a", "-s", `-screen 0 ${width}x${height + 200}x24`, WEBKIT, `--port=${port}`], {
    stdio: "ignore",
    detached: true,
  });
  let end = async () => {};
  t.after(async () => {
    await end().catch(() => {});
    // The display goes with its group.
    process.kill(-driver.pid);
  });
  const ask = async (method, path, body) => {
    const response = await fetch(`http://127.0.0.1:${port}/session${path}`, {
      method,
      body: body && JSON.stringify(body),
      signal: AbortSignal.timeout(120_000),
    });
    const { value } = await response.json();
    if (!response.ok) throw new Error(`${value.error}: ${value.message}`);
    return value;
  };
  await listening(port);
  const options = { binary: process.env.SWITCHYARD_MINIBROWSER ?? minibrowser(), args: ["--automation"] };
  const { sessionId } = await ask("POST", "", {
    capabilities: { alwaysMatch: { browserName: "MiniBrowser", "webkitgtk:browserOptions": options } },
  });
  end = () => ask("DELETE", `/${sessionId}`);
  await ask("POST", `/${sessionId}/timeouts`, { script: 120_000 });
  await ask("POST", `/${sessionId}/window/rect`, { x: 0, y: 0, width, height });
  await ask("POST", `/${sessionId}/url`, { url: address });
  const script = (fn) => `const done = arguments[arguments.length - 1];
    Promise.resolve((${fn})(...Array.prototype.slice.call(arguments, 0, -1)))
      .then((value) => done({ value }), (error) => done({ error: String(error) }));`;
  return {
    evaluate: async (fn, ...args) => {
      const { value, error } = await ask("POST", `/${sessionId}/execute/async`, { script: script(fn), args });
      if (error) throw new Error(error);
      return value;
    },
    screenshot: async () => Buffer.from(await ask("GET", `/${sessionId}/screenshot`), "base64"),
  };
}

/** WebKitGTK's own browser, which comes with its libraries. */
function minibrowser() {
  const folders = ["x86_64", "aarch64"].flatMap((machine) =>
    ["4.1", "4.0", "6.0"].map((version) => `/usr/lib/${machine}-linux-gnu/webkit2gtk-${version}/MiniBrowser`),
  );
  return folders.find((path) => existsSync(path));
}

/** A port that nobody listens on. */
async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function listening(port) {
  for (let turn = 0; turn < 300; turn += 1) {
    const answered = await fetch(`http://127.0.0.1:${port}/status`).then(
      () => true,
      () => false,
    );
    if (answered) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("WebKit's driver does not answer");
}
