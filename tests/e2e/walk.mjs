// A walk over the page as a visitor with time on his hands would take it: first a tour of every view
// that uses every control it finds, then steps chosen by a seed over all there is to use: controls,
// canvases, keys, dropped files, links, reloads, the window's size, the system's theme.
//
// A step is a function of the seed and its number, and of what the page shows then. A walk that
// fails says which seed and step, what was wrong, and the steps that led there.
//
// What is wrong: an uncaught error, an error in the console, a request that fails (as in every test,
// see browser.mjs), a panic that the page reports, a page that answers no click, a frame loop that
// paints no more. A hang is told from slowness by generous limits.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { problemsOf } from "./browser.mjs";

const fixtures = fileURLToPath(new URL("../fixtures/", import.meta.url));
const FILES = readdirSync(fixtures).filter((name) => name !== "README.md");

/** How long a page may take to answer before it counts as dead, in milliseconds. */
const ANSWER = 60_000;
/** A page is asked whether it lives every so many steps. */
const PULSE_EVERY = 20;
/** How many steps are told of a walk that failed. */
const TOLD = 15;

const KEYS = [
  " ", ",", ".", "?", "Escape", "1", "2", "3", "4", "5", "6", "c", "w", "a", "s", "d", "Tab", "Shift+Tab",
  "Enter", "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End", "PageDown", "Delete", "f",
];
const TEXTS = [
  "", "0", "1", "2", "3", "7.5", "-1", "1e9", "1e400", "nan", "inf", "0.1", "100000000000000000000", "8x4", "v100",
  "4x8:v100,2x4", "fifo", "las[quantum=10]", "tiresias-las[queues=3,thresholds=3600/36000]", "pollux[interval=60]",
  "gandiva[quantum=600]", "nosuch[x=", "=cmd()", "\u{1F682} ö <b>", "a".repeat(400),
];
const SAMPLES = ["lab", "three-jobs", "cluster", "fleet", "data-centre", "nosuch"];
const VIEWS = ["yard", "timeline", "compare", "jobs", "queues", "start", "sweep", "goodput", "fragmentation", "nosuch"];
const RUNS = [
  "fifo", "fewest-gpus", "srtf", "las", "tiresias-las", "tiresias-gittins", "gandiva", "themis", "gavel", "pollux", "optimus",
  "fifo[backfill=true]", "yarn-cs", "nosuch",
];
const SIZES = [[390, 844], [720, 900], [1280, 860], [1920, 1080], [320, 500]];

/** Numbers from 0 to 1 that hang on the seed alone (mulberry32). */
function random(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (n) => Math.floor(next() * n);
  return { next, below, of: (list) => list[below(list.length)] };
}

/**
 * What can be used on the page now, kept in the page as `walkControls`. A control's `key` names it
 * and all others that differ only in their numbers.
 */
function controls() {
  const selector =
    "button, select, input, textarea, summary, canvas, th, [role=row], [role=tab], [role=button], [role=slider], [tabindex='0'], a[href]";
  const leadsAway = /^(https?|mailto):|^\.\/lessons\//;
  const isSeen = (element) => {
    const box = element.getBoundingClientRect();
    return (
      box.width > 0 && box.height > 0 && !element.disabled && !element.closest("[inert], [hidden]") &&
      getComputedStyle(element).visibility === "visible" && !leadsAway.test(element.getAttribute("href") ?? "")
    );
  };
  const dialog = [...document.querySelectorAll("dialog[open]")].filter((dialog) => dialog.matches(":modal")).at(-1);
  const isFile = (element) => element.type === "file";
  const found = [...(dialog ?? document).querySelectorAll(selector)].filter(
    (element) => isFile(element) || isSeen(element),
  );
  globalThis.walkControls = found;
  return found.map((element) => {
    const name =
      element.getAttribute("aria-label") ?? element.labels?.[0]?.textContent ?? element.title ?? element.textContent ?? "";
    const tag = element.tagName.toLowerCase();
    const kind = element.role === "tab" ? "tab" : tag === "input" ? element.type : tag;
    const place = element.closest("section, dialog, aside, header, form, table, [role=tabpanel]");
    const label = `${place?.getAttribute("aria-label") ?? place?.className ?? ""} ${kind} ${name || element.textContent}`;
    return { kind, key: label.replace(/\s+/g, " ").replace(/\d[\d.,:]*/g, "#").trim().slice(0, 100) };
  });
}

/** Where a control lies once it has been scrolled to; null where it is gone. */
function placeOf(index) {
  const element = globalThis.walkControls?.[index];
  if (!element?.isConnected) return null;
  element.scrollIntoView({ block: "nearest", inline: "nearest" });
  const { x, y, width, height } = element.getBoundingClientRect();
  return { x, y, width, height };
}

/** A walker over one page. */
class Walker {
  constructor(page, seed) {
    this.page = page;
    this.seed = seed;
    this.told = [];
    this.used = new Map();
    this.views = new Set();
    this.number = 0;
    this.choosing = null;
    page.on("dialog", (dialog) => dialog.accept().catch(() => {}));
    page.on("download", (download) => download.cancel().catch(() => {}));
    page.on("filechooser", (chooser) => {
      this.choosing = chooser.setFiles(join(fixtures, FILES[this.number % FILES.length])).catch(() => {});
    });
  }

  /** Does one thing, and looks whether the page has suffered. */
  async step(what, action) {
    this.number += 1;
    this.told.push(`${this.number}: ${what}`);
    if (this.told.length > TOLD) this.told.shift();
    try {
      await withLimit(action(), ANSWER);
    } catch (error) {
      // What a control was aimed at may be gone before it is hit; a page that does not answer is dead.
      if (error instanceof Hang) this.fail(`the page did not answer: ${what}`);
    }
    // What a page shows that has panicked (static/rescue.js).
    const rescue = this.page.locator(".rescue");
    if (await rescue.count().catch(() => 0)) this.fail(`the page broke down: ${await rescue.textContent()}`);
    this.complain();
    if (this.number % PULSE_EVERY === 0) await this.pulse();
  }

  complain() {
    const problems = problemsOf(this.page);
    if (problems.length > 0) this.fail(problems.join("\n"));
  }

  fail(why) {
    throw new Error(
      `seed ${this.seed}, step ${this.number}, at ${this.page.url()}:\n${why}\nthe last steps:\n  ${this.told.join("\n  ")}`,
    );
  }

  /** Whether the page lives: a tab that is clicked is shown, and a change of theme is painted. */
  async pulse() {
    const { page } = this;
    const within = async (what, promise) => {
      try {
        return await withLimit(promise, ANSWER);
      } catch (error) {
        this.complain();
        return this.fail(`${what} (${error.message})`);
      }
    };
    await within("no frame comes", page.evaluate(() => new Promise((done) => requestAnimationFrame(() => done()))));
    // A file that was chosen may show a view of its own.
    await within("a file that was chosen does not arrive", this.choosing);
    const tabs = page.locator("[role=tab]");
    const count = await within("the page does not answer", tabs.count());
    if (count > 0) {
      const before = await page.locator("[role=tab][aria-selected=true]").getAttribute("id");
      for (const id of ["tab-yard", before]) {
        await within(`a click on ${id} does nothing`, (async () => {
          await page.evaluate((id) => document.getElementById(id)?.click(), id);
          await page.waitForFunction((id) => {
            const tab = document.getElementById(id);
            return !tab || tab.getAttribute("aria-selected") === "true";
          }, id, { timeout: ANSWER });
        })());
        if (id === "tab-yard" && (await page.locator(".yard canvas").count()) > 0) {
          await within("the frame loop paints no more", this.repaint());
        }
      }
    }
    this.complain();
  }

  async repaint() {
    const { page } = this;
    const painted = () => page.evaluate(() => JSON.stringify(globalThis.switchyardFrameTimes()));
    const before = await painted();
    const dark = await page.evaluate(() => matchMedia("(prefers-color-scheme: dark)").matches);
    await page.emulateMedia({ colorScheme: dark ? "light" : "dark" });
    await page.waitForFunction((before) => JSON.stringify(globalThis.switchyardFrameTimes()) !== before, before, {
      timeout: ANSWER,
    });
  }

  /** Uses a control in one of the ways it can be used. */
  async use(index, { kind }, rng) {
    const { page } = this;
    const box = await page.evaluate(placeOf, index);
    if (!box) return;
    const handle = () => page.evaluateHandle((index) => globalThis.walkControls[index], index);
    const at = (x, y) => [box.x + box.width * x, box.y + box.height * y];
    const centre = at(0.5, 0.5);
    switch (kind) {
      case "file":
        await (await handle()).setInputFiles(this.files(rng));
        break;
      case "select": {
        const select = await handle();
        const count = await select.evaluate((select) => select.options.length);
        await select.selectOption({ index: rng.below(count) }, { force: true, timeout: 2000 });
        break;
      }
      case "range":
        await page.mouse.click(...at(rng.next(), 0.5));
        await page.keyboard.press(rng.of(["Home", "End", "ArrowLeft", "ArrowRight", "PageUp", "PageDown"]));
        break;
      case "text":
      case "number":
      case "search":
      case "textarea":
        await page.mouse.click(...centre);
        await page.keyboard.press("ControlOrMeta+a");
        await this.write(rng.of(TEXTS));
        await page.keyboard.press(rng.of(["Enter", "Tab", "Escape", "ArrowUp"]));
        break;
      case "canvas": {
        const [from, to] = [at(rng.next(), rng.next()), at(rng.next(), rng.next())];
        await page.mouse.move(...from);
        const way = rng.below(4);
        if (way === 0) await page.mouse.click(...from, { clickCount: 1 + rng.below(2) });
        if (way === 1) await page.mouse.wheel(rng.below(400) - 200, rng.below(1200) - 600);
        if (way >= 2) {
          await page.mouse.down();
          await page.mouse.move(...to, { steps: 3 });
          await page.mouse.up();
        }
        break;
      }
      default:
        await page.mouse.click(...centre);
    }
  }

  /** Types what is short, and pastes what is long: a step is one answer, not hundreds. */
  write(text) {
    const { keyboard } = this.page;
    return text.length > 60 ? keyboard.insertText(text) : keyboard.type(text);
  }

  files(rng) {
    const count = rng.below(6) === 0 ? 2 : 1;
    return Array.from({ length: count }, () => join(fixtures, rng.of(FILES)));
  }

  async drop(paths) {
    const files = paths.map((path) => ({
      name: path.slice(fixtures.length),
      text: readFileSync(path).toString("base64"),
    }));
    await this.page.evaluate(async (files) => {
      const transfer = new DataTransfer();
      for (const { name, text } of files) {
        const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
        transfer.items.add(new File([bytes], name));
      }
      const target = document.elementFromPoint(innerWidth / 2, innerHeight / 2) ?? document.body;
      for (const type of ["dragover", "drop"]) {
        target.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: transfer }));
      }
    }, files);
  }

  /** The controls there are, those used least first. */
  async choices() {
    const found = await withLimit(this.page.evaluate(controls), ANSWER).catch(() => this.fail("the page does not answer"));
    const view = await this.page.locator("[role=tab][aria-selected=true]").first().textContent({ timeout: 1000 }).catch(() => null);
    if (view) this.views.add(view);
    const uses = ({ key }) => this.used.get(key) ?? 0;
    return found.map((control, index) => ({ control, index, uses: uses(control) }));
  }

  async useOne({ control, index }, rng) {
    this.used.set(control.key, (this.used.get(control.key) ?? 0) + 1);
    await this.step(`use ${control.key}`, () => this.use(index, control, rng));
  }

  /** Shows every view, and in it uses every control that has not been used, as long as new ones come. */
  async tour(address) {
    for (const [place, id] of ["yard", "timeline", "compare", "jobs", "queues", "start", "sweep", "goodput", "fragmentation"].entries()) {
      await this.goTo(address);
      await this.step(`show ${id}`, () => this.page.evaluate((id) => document.getElementById(`tab-${id}`)?.click(), id));
      for (let turn = 0; turn < 60; turn += 1) {
        const rng = random(this.seed * 7919 + place * 1009 + turn);
        const fresh = (await this.choices()).filter(({ uses, control }) => uses === 0 && control.kind !== "tab");
        if (fresh.length === 0) break;
        await this.useOne(fresh[0], rng);
      }
    }
  }

  async goTo(address) {
    await this.step(`open ${address}`, async () => {
      await this.page.goto("about:blank");
      await this.page.goto(address);
      await this.ready();
    });
  }

  async ready() {
    await this.page.locator("[role=tab], .embedded").first().waitFor({ timeout: ANSWER });
  }

  /** A step of the seed's choice. */
  async stray(home) {
    const { page } = this;
    const rng = random(this.seed * 1_000_003 + this.number);
    const kind = rng.below(100);
    if (kind < 76) {
      const choices = await this.choices();
      if (choices.length > 0) {
        const least = Math.min(...choices.map(({ uses }) => uses));
        const rare = choices.filter(({ uses }) => uses === least);
        return this.useOne(rng.of(rng.below(2) ? rare : choices), rng);
      }
    }
    if (kind < 86) {
      const key = rng.of(KEYS);
      return this.step(`press ${JSON.stringify(key)}`, () => page.keyboard.press(key === " " ? "Space" : key));
    }
    if (kind < 89) {
      const files = this.files(rng);
      return this.step(`drop ${files.map((path) => path.slice(fixtures.length))}`, () => this.drop(files));
    }
    if (kind < 92) {
      const link = linkOf(rng);
      return this.step(`follow #${link}`, () => page.evaluate((link) => void (location.hash = link), link));
    }
    if (kind < 94) {
      const link = linkOf(rng);
      return this.step(`open #${link}`, async () => {
        await page.goto("about:blank");
        await page.goto(`${home}#${link}`);
        await this.ready();
      });
    }
    if (kind < 95) {
      return this.step("reload", async () => {
        await page.reload();
        await this.ready();
      });
    }
    if (kind < 96) {
      return this.step("back and forward", async () => {
        await page.goBack();
        await page.goForward();
        await this.ready();
      });
    }
    if (kind < 98) {
      const [width, height] = rng.of(SIZES);
      return this.step(`a window of ${width} × ${height}`, () => page.setViewportSize({ width, height }));
    }
    const media = { colorScheme: rng.of(["light", "dark"]), reducedMotion: rng.of(["reduce", "no-preference"]) };
    return this.step(`a system of ${Object.values(media)}`, () => page.emulateMedia(media));
  }
}

function linkOf(rng) {
  const runs = Array.from({ length: rng.below(4) }, () => `run=${rng.of(RUNS)}`);
  const parts = ["v=1", `sample=${rng.of(SAMPLES)}`, `view=${rng.of(VIEWS)}`, ...runs];
  if (rng.below(3) === 0) parts.push(`cluster=${rng.of(["1x1", "1x8", "16x4", "0x0", "1000000000x1"])}`);
  if (rng.below(3) === 0) parts.push(`t=${rng.of(["0", "30000", "1e12", "-5", "nan"])}`);
  if (rng.below(6) === 0) parts.push("colour=model", "speed=3600");
  return parts.join("&");
}

class Hang extends Error {}

async function withLimit(promise, milliseconds) {
  let timer;
  const limit = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Hang(`${milliseconds / 1000} s`)), milliseconds);
  });
  try {
    return await Promise.race([promise, limit]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Walks.
 * @param {import("playwright-core").Page} page opened at `index.html` of a build
 * @param {{seed: number, steps: number}} options `steps` after the tour
 * @returns what was seen: `views`, the number of different `controls` used, all `steps`
 */
export async function walk(page, { seed, steps }) {
  const home = page.url().split("#")[0];
  const walker = new Walker(page, seed);
  await walker.tour(`${home}#v=1&run=fifo&run=tiresias-las&run=pollux&t=20000`);
  const begin = walker.number;
  while (walker.number - begin < steps) await walker.stray(home);
  await walker.pulse();
  return { views: [...walker.views], controls: walker.used.size, steps: walker.number };
}
