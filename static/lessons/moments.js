// Scrolling over the moments of a figure (lessons/src/moments.rs) moves its clock, continuously between one and the
// next, and back; which job is chosen and what of time is seen change at the moments. It is the browser's own scrolling:
// this only looks where the reading line is. A figure stays as it is until the reader has scrolled, and plays on, if
// the reader has it play, until another moment comes.

const isStill = matchMedia("(prefers-reduced-motion: reduce)");

// Where the page has been put: what is scrolled from here on, the reader has scrolled. Until it is loaded, browsers
// put it where its address says.
let rest = scrollY;
let isLoaded = false;

/** The page has been put somewhere. */
export const settle = () => (rest = scrollY);
addEventListener("pageshow", () =>
  requestAnimationFrame(() => {
    isLoaded = true;
    settle();
  }),
);

const lists = [];
let isAsked = false;

addEventListener(
  "scroll",
  () => {
    if (!isLoaded || Math.abs(scrollY - rest) < 2 || isAsked) return;
    isAsked = true;
    requestAnimationFrame(() => {
      isAsked = false;
      rest = NaN;
      for (const look of lists) look();
    });
  },
  { passive: true },
);

/**
 * How far each moment of a list is below where one reads, pixels. One reads at a third of the screen, or below a figure
 * in the middle of the rest; the first no lower than where it is when its section begins at the top, the last where it
 * comes to when the page is scrolled to its end.
 */
export function ahead(list) {
  const [of, beside] = [document.getElementById(list.dataset.figure).getBoundingClientRect(), list.getBoundingClientRect()];
  const isAbove = of.left < beside.right && beside.left < of.right;
  const middle = isAbove ? (Math.min(Math.max(of.bottom, 0), innerHeight * 0.8) + innerHeight) / 2 : innerHeight / 3;
  const line = Math.min(middle, beside.top - list.closest("section").getBoundingClientRect().top);
  const tops = [...list.children].map((item) => item.getBoundingClientRect().top);
  const end = document.documentElement.scrollHeight - innerHeight;
  const last = Math.max(line, Math.ceil(tops.at(-1) + scrollY - end) + 1);
  return tops.map((top, at) => top - line - ((last - line) * at) / (tops.length - 1));
}

/** Has a list of moments lead its figure. */
export function lead(list) {
  const figure = document.getElementById(list.dataset.figure);
  const items = [...list.children];
  const moments = items.map(({ dataset: { t, select, window } }) => ({ t: Number(t), select, window: window?.split(" ").map(Number) }));
  const [selects, zooms] = ["select", "window"].map((what) => moments.some((moment) => moment[what] !== undefined));
  let present = -1;
  /** Where the reader is: 1.5 is half-way from the second moment to the third. */
  let place = -1;
  let plays = false;
  figure.addEventListener("time", ({ detail }) => (plays = detail.playing));

  // One request is under way at most; of what is wanted meanwhile the last counts.
  const wanted = new Map();
  let isBusy = false;
  const ask = async (method, value) => {
    wanted.set(method, value);
    if (isBusy) return;
    isBusy = true;
    while (wanted.size > 0) {
      const [[next, of]] = wanted;
      wanted.delete(next);
      // A figure that cannot be asked stays as it is.
      await Promise.resolve(figure[next]?.(of)).catch(() => {});
    }
    isBusy = false;
  };

  const go = (to) => {
    const at = Math.floor(to);
    if (at !== present) {
      items[present]?.removeAttribute("aria-current");
      items[at].setAttribute("aria-current", "step");
      present = at;
      if (plays) void ask("pause");
      plays = false;
      if (selects) void ask("select", moments[at].select ?? figure.getAttribute("select"));
      if (zooms) void ask("zoom", moments[at].window ?? null);
    }
    place = to;
    const [from, until] = [moments[at].t, moments[at + 1]?.t ?? moments[at].t];
    if (!plays) void ask("seek", from + (until - from) * (to - at));
  };

  lists.push(() => {
    if (list.getClientRects().length === 0) return;
    const below = ahead(list);
    const at = below.findLastIndex((by) => by <= 0);
    // Not come to yet.
    if (at < 0 && present < 0) return;
    const part = at >= 0 && at + 1 < items.length && !isStill.matches ? -below[at] / (below[at + 1] - below[at]) : 0;
    const to = Math.max(0, at) + part;
    if (to !== place) go(to);
  });

  items.forEach((item, at) =>
    item.querySelector(".time").addEventListener("click", () => {
      scrollBy({ top: Math.ceil(ahead(list)[at]), behavior: "instant" });
      settle();
      go(at);
    }),
  );
}
