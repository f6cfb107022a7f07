// Makes the picture that stands in the page before its program is there: static/picture.html, and static/picture.css for
// what a security policy does not let elements say themselves. It is the page as it is at first, at four widths and in
// both themes, with drawings in the place of canvases. After `cargo xtask build`, `node tests/e2e/picture.mjs` writes it anew;
// first_second.test.mjs says when that is needed.

import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { dist } from "./browser.mjs";
import { serve } from "./server.mjs";

const STATIC = fileURLToPath(new URL("../../static/", import.meta.url));
export const FILES = ["picture.html", "picture.css"];

/** Windows for which canvases are drawn, and from which width on a drawing is shown. */
const WINDOWS = [
  { name: "phone", width: 390, height: 844, from: 0 },
  { name: "tablet", width: 768, height: 1024, from: 600 },
  { name: "laptop", width: 1440, height: 900, from: 1100 },
  { name: "desktop", width: 1920, height: 1080, from: 1700 },
];
/** The player's drawings, and where they are shown. */
const STRIPS = new Map([["phone", "at-phone"], ["laptop", "at-others"]]);
const THEMES = ["light", "dark"];

/** Runs in the page: its elements as text, and each canvas as a drawing. */
async function look() {
  const drawings = [];
  const repaint = () => switchyardEmbed.page.speed(switchyardEmbed.page.look().speed);
  const canvases = [...document.querySelectorAll("#app canvas")];
  for (const canvas of canvases) {
    const shown = canvas.clientWidth > 0;
    const view = { querySelectorAll: (of) => (of === "canvas" ? [canvas] : []) };
    const drawn = shown ? await switchyardDrawn(view, repaint) : "";
    // The ground is the page's own.
    drawings.push(drawn.replace(/<rect[^>]*>/, "").trim());
  }
  const page = document.querySelector("#app .page").cloneNode(true);
  const all = (selector) => page.querySelectorAll(selector);
  [...all("canvas")].forEach((canvas, at) => {
    const place = document.createElement("div");
    place.className = canvas.className;
    place.textContent = `drawing ${at}`;
    canvas.replaceWith(place);
  });
  // What is closed, hidden or chosen from takes no room.
  for (const element of all("[hidden], details > :not(summary), .rail option:not([selected]), .skip, [role=status]:empty, #editor, #tooltip")) element.remove();
  for (const input of all("input")) input.setAttribute("value", input.value);
  for (const element of [page, ...all("*")]) {
    for (const { name } of [...element.attributes]) {
      const stays = ["class", "style", "type", "value", "min", "max", "step", "role", "viewBox", "width", "height", "d", "fill", "fill-rule", "selected", "aria-selected", "placeholder", "href"];
      // No role takes what it needs to be one along.
      if (!stays.includes(name) || (name === "role" && element.getAttribute(name) !== "tab" && element.getAttribute(name) !== "tablist")) element.removeAttribute(name);
    }
    if (element.getAttribute("style") === "") element.removeAttribute("style");
  }
  return { html: page.outerHTML, drawings };
}

/** The text of both, where they differ in colours alone: `light-dark(…)`. */
function inBothThemes(light, dark, what) {
  const COLOUR = /#[0-9a-f]{6}\b|rgba?\([^)]*\)/g;
  const [one, other] = [light, dark].map((text) => text.replace(COLOUR, ""));
  if (one !== other) throw new Error(`${what} differs in more than colours by theme: ${difference(one, other)}`);
  const others = dark.match(COLOUR) ?? [];
  let at = 0;
  return light.replace(COLOUR, (colour) => {
    const counterpart = others[at++];
    return colour === counterpart ? colour : `light-dark(${colour},${counterpart})`;
  });
}

/** The page at first, where nothing has moved yet. */
async function seen(chrome, url, options) {
  const context = await chrome.newContext(options);
  try {
    const page = await context.newPage();
    // The clock of the page stands.
    await page.addInitScript(() => {
      const begin = performance.now();
      globalThis.requestAnimationFrame = ((real) => (act) => real(() => act(begin)))(requestAnimationFrame.bind(globalThis));
    });
    await page.goto(url);
    await page.waitForFunction(() => document.querySelectorAll("[data-status=done]").length === 2 && document.querySelector(".yard-foot dd"));
    // On a busy machine what stands on the page comes late: until it stays as it is.
    let before = null;
    for (let looks = 0; looks < 50; looks++) {
      await page.waitForTimeout(300);
      const now = await page.evaluate(look);
      if (before && JSON.stringify(now) === JSON.stringify(before)) return now;
      before = now;
    }
    throw new Error("the page does not come to rest");
  } finally {
    await context.close();
  }
}

/** What the files are to hold. */
export async function picture(chrome, url) {
  const sizes = [];
  for (const { name, width, height, from } of WINDOWS) {
    const themes = [];
    for (const colorScheme of THEMES) themes.push(await seen(chrome, url, { viewport: { width, height }, colorScheme }));
    const html = inBothThemes(themes[0].html, themes[1].html, `the page at ${width}`);
    const drawings = themes[0].drawings.map((drawing, at) => inBothThemes(drawing, themes[1].drawings[at], `canvas ${at} at ${width}`));
    sizes.push({ name, width, from, html, drawings });
  }
  const [{ html }] = sizes;
  const other = sizes.find((size) => size.html !== html);
  if (other) throw new Error(`the page is another at ${other.width}: ${difference(html, other.html)}`);
  // What is not shown somewhere has no drawing there. The player's is long: one is stretched over all but phones.
  const strip = sizes[0].drawings.length - 1;
  const drawn = (at) => sizes.map(({ width, name, drawings }) => {
    const isLeftOut = !drawings[at] || (at === strip && !STRIPS.has(name));
    const fits = at === strip ? "none" : "xMinYMin meet";
    const shown = at === strip ? STRIPS.get(name) : `at-${name}`;
    return isLeftOut ? "" : drawings[at].replace("<svg ", `<svg class="${shown}" preserveAspectRatio="${fits}" `).replaceAll(/clip\d+-/g, `clip-${width}-${at}-`);
  }).join("");
  const styles = new Map();
  const classed = html.replace(/ style="([^"]*)"/g, (_, style) => {
    const text = style.replaceAll("&quot;", '"');
    if (!styles.has(text)) styles.set(text, `p${styles.size}`);
    return ` data-look="${styles.get(text)}"`;
  });
  const whole = classed.replace(/drawing (\d+)/g, (_, at) => drawn(Number(at)));
  const shown = sizes.map(({ name, from }, at) => {
    const to = sizes[at + 1]?.from;
    const when = [from && `(min-width: ${from}px)`, to && `(max-width: ${to - 1}px)`].filter(Boolean).join(" and ");
    const both = from ? `:is(.at-${name}, .at-others)` : `.at-${name}`;
    return `@media ${when} {\n  #picture svg${both} {\n    display: block;\n  }\n}\n`;
  });
  const looks = [...styles].map(([style, name]) => `#picture [data-look="${name}"] {\n  ${style.replace(/;?$/, ";")}\n}\n`);
  const note = "Written by tests/e2e/picture.mjs: the page as it is at first.";
  return [
    `<!-- ${note} -->\n${whole}\n`,
    `/* ${note} */\n\n${[...shown, ...looks].join("\n")}`,
  ];
}

/** Where two texts begin to differ. */
export function difference(one, other) {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  return [one, other].map((text) => `…${text.slice(Math.max(0, at - 40), at + 60)}…`).join(" and ");
}

/** What the files hold. */
export const written = () => Promise.all(FILES.map((file) => readFile(STATIC + file, "utf8")));

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const server = await serve(dist, "/");
  const chrome = await chromium.launch({ executablePath: process.env.SWITCHYARD_CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
  try {
    const texts = await picture(chrome, server.url);
    await Promise.all(FILES.map((file, at) => writeFile(STATIC + file, texts[at])));
  } finally {
    await chrome.close();
    await server.close();
  }
}
