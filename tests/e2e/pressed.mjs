// Whether everything can be pressed: each control lies in the window, and a click at its middle hits it.
// A browser's driver scrolls anything anywhere before it clicks; people have a wheel, which moves only what
// scrolls. So boxes are scrolled here as a wheel does, and nothing else is.

/** What is pressed, turned, typed into or chosen from. */
const CONTROLS =
  "button, a[href], input:not([type=hidden]), select, textarea, summary, [role=tab], [role=option], [role=slider], [contenteditable=true]";

/** What opens something and says so. */
const OPENERS = "button[aria-expanded], details > summary";

/** What opens something and does not say so, by its name. */
const OPENERS_BY_NAME = /^(Embed|Help|What if a node dies now\?|Find a job, a tenant or a node)/;

/** Menus, dialogs and sheets: read from above to below, they must not scroll sideways. */
const PANELS = "dialog, [role=dialog], .export-panel, .saver-panel, .inspector";

/** Runs in the page, and leaves `globalThis.pressing` there. */
function prepare({ CONTROLS, OPENERS, BY_NAME, PANELS }) {
  if (globalThis.pressing) return;
  const byName = new RegExp(BY_NAME);

  const words = (element) =>
    (element.getAttribute("aria-label") || element.labels?.[0]?.textContent || element.textContent || element.title || "").replace(/\s+/g, " ").trim();
  const name = (element) => {
    const place = element.closest(`${PANELS}, aside, section, header, form, [role=tabpanel]`);
    const where = place?.getAttribute("aria-label") || place?.id || place?.className || "page";
    return `${where}: ${element.tagName.toLowerCase()} “${words(element).slice(0, 60)}”`;
  };

  /** What is pressed for a control: its label, where it hides itself. */
  const target = (element) => {
    const hides = element.matches(".visually-hidden") || element.getBoundingClientRect().width <= 1;
    return hides ? element.labels?.[0] ?? element : element;
  };
  const isShown = (element) => {
    const at = target(element);
    const { width, height } = at.getBoundingClientRect();
    const isSeen = at.checkVisibility({ visibilityProperty: true, opacityProperty: true });
    return isSeen && width > 1 && height > 1 && !at.closest("[inert], .visually-hidden");
  };
  const shown = (selector) => {
    // Below a modal dialog nothing can be pressed.
    const root = [...document.querySelectorAll("dialog:modal")].at(-1) ?? document;
    return [...root.querySelectorAll(selector)].filter(isShown);
  };

  /** Scrolls whatever scrolls around an element until it is in the middle; gives what scrolls back. */
  const wheel = (element) => {
    const moved = [];
    for (let box = element.parentElement; box; box = box.parentElement) {
      const { overflowX, overflowY } = getComputedStyle(box);
      const across = /auto|scroll/.test(overflowX) && box.scrollWidth > box.clientWidth && !box.matches(PANELS);
      const down = /auto|scroll/.test(overflowY) && box.scrollHeight > box.clientHeight;
      if (!across && !down) continue;
      moved.push([box, box.scrollLeft, box.scrollTop]);
      const [inner, outer] = [element.getBoundingClientRect(), box.getBoundingClientRect()];
      if (across) box.scrollLeft += inner.left + inner.width / 2 - outer.left - box.clientWidth / 2;
      if (down) box.scrollTop += inner.top + inner.height / 2 - outer.top - box.clientHeight / 2;
    }
    return () => {
      for (const [box, left, top] of moved) [box.scrollLeft, box.scrollTop] = [left, top];
    };
  };

  /** Where a control is pressed: a link over two lines has a middle in which it is not. */
  const middle = (at) => {
    const rects = at.getClientRects();
    const { x, y, width, height } = rects.length > 1 ? rects[0] : at.getBoundingClientRect();
    return [x + width / 2, y + height / 2];
  };

  /** Why a control cannot be pressed, if it cannot. */
  const wrong = (element) => {
    const at = target(element);
    const back = wheel(at);
    const { left, top, right, bottom } = at.getBoundingClientRect();
    const hit = document.elementFromPoint(...middle(at));
    back();
    const place = [left, top, right, bottom].map(Math.round).join(" ");
    if (left < -1 || top < -1 || right > innerWidth + 1 || bottom > innerHeight + 1) {
      return `${name(element)} (${place}) is not within the window of ${innerWidth} × ${innerHeight}`;
    }
    if (hit && (at.contains(hit) || hit.closest("label")?.control === element)) return null;
    const what = hit ? `<${hit.tagName.toLowerCase()} class="${hit.getAttribute("class") ?? ""}">` : "nothing";
    return `${name(element)} (${place}) is covered by ${what}`;
  };

  const known = new WeakSet();
  const tried = new Set();
  const openers = [];
  globalThis.pressing = {
    /** How many controls have come since last asked, and what is wrong with them. */
    look() {
      const fresh = shown(CONTROLS).filter((element) => !known.has(element));
      for (const element of fresh) known.add(element);
      return { count: fresh.length, problems: fresh.map(wrong).filter(Boolean) };
    },
    /** What is closed and has not been tried, by number and name. Things of one name are one. */
    openers() {
      const isClosed = (element) => element.ariaExpanded === "false" || (element.matches("summary") && !element.parentElement.open);
      const all = [...shown(OPENERS).filter(isClosed), ...shown("button").filter((element) => byName.test(words(element)))];
      const found = [];
      for (const element of all) {
        const key = name(element).replace(/\d+/g, "#");
        if (element.disabled || tried.has(key)) continue;
        tried.add(key);
        found.push({ id: openers.push(element) - 1, name: name(element) });
      }
      return found;
    },
    /** Scrolls to an opener: where it is pressed; null where it is gone. */
    reach(id) {
      const element = openers[id];
      if (!element.isConnected || !isShown(element)) return null;
      wheel(element);
      return middle(element);
    },
    isOpen(id) {
      const element = openers[id];
      return element.isConnected && (element.ariaExpanded === "true" || element.matches("details[open] > summary"));
    },
  };
}

const settled = (page) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 60)))));

/**
 * What cannot be pressed of all that is seen and has not been looked at before, one line each; and how
 * many controls were looked at.
 */
export async function unpressable(page) {
  await page.evaluate(prepare, { CONTROLS, OPENERS, BY_NAME: OPENERS_BY_NAME.source, PANELS });
  return page.evaluate(() => pressing.look());
}

/** The same of everything that opens, and of what opens within: each is opened with the mouse and closed again. */
export async function unpressableWithin(page, depth = 0) {
  const { problems, count } = await unpressable(page);
  const all = { count, problems: [...problems], opened: [] };
  if (depth > 3) return all;
  for (const { id, name } of await page.evaluate(() => pressing.openers())) {
    const at = await page.evaluate((id) => pressing.reach(id), id);
    if (!at) continue;
    await page.mouse.click(...at);
    await settled(page);
    const within = await unpressableWithin(page, depth + 1);
    all.count += within.count;
    all.opened.push(name, ...within.opened);
    all.problems.push(...within.problems.map((problem) => `${name} → ${problem}`));
    if (within.count === 0) all.problems.push(`${name} opens nothing that can be pressed`);
    await page.keyboard.press("Escape");
    await settled(page);
    // What stands in the page's flow is closed as it was opened.
    const again = (await page.evaluate((id) => pressing.isOpen(id), id)) && (await page.evaluate((id) => pressing.reach(id), id));
    if (again) await page.mouse.click(...again);
    await settled(page);
    // What is seen again.
    const after = await unpressable(page);
    all.problems.push(...after.problems.map((problem) => `after ${name}: ${problem}`));
  }
  return all;
}
