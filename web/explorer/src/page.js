// What the page is asked (web/src/ui/page.rs), and what goes to the person's disk.

import RUST from "../../../core/app/for_scripts.json" with { type: "json" };

/** The page's schedulers: their specs, and the hues that they have there. */
export const policies = () => globalThis.switchyardEmbed.page.cards();

/** The table of the page's own sweep, as CSV. */
export const own = () => globalThis.switchyardEmbed.page.sweepCsv();

/** What that sweep bounds, where it searches for nodes, and which of its runs are the answers; else null. */
export const sought = () => globalThis.switchyardEmbed.page.sought();

/** Where a link's jobs come from, such as `file itp.csv`. */
export const sourceOf = (link) => {
  const params = new URLSearchParams(link);
  const kind = RUST.link_sources.find((of) => params.has(of));
  return kind ? `${kind} ${params.get(kind)}` : "";
};

export const open = () => sourceOf(globalThis.switchyardEmbed.page.link());

const KEEP_MS = 30_000;

export const save = (name, blob) => {
  const address = URL.createObjectURL(blob);
  Object.assign(document.createElement("a"), { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), KEEP_MS);
};

/** Pixels of a PNG file to one of the screen: 300 to an inch. */
const SCALE = 300 / 96;

/** A drawing as pixels. */
export const pixelsOf = async (svg, width, height) => {
  const address = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  const image = new Image();
  image.src = address;
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width: width * SCALE, height: height * SCALE });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(address);
  return new Promise((resolve) => canvas.toBlob(resolve));
};
