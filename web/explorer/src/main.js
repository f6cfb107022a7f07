// The explorer of sweeps: `globalThis.switchyardExplorer` opens files, follows the page's own sweep, and is a
// piece of the page that static/sweeps.js puts into the view Sweep.

import * as page from "./page.js";
import { panel } from "./panel.js";
import { read } from "./read.js";

const there = panel();
let files = 0;

globalThis.switchyardExplorer = {
  root: there.root,
  /** Opens files, until that is given up by a signal. */
  open: async (given, signal) => {
    const table = await read(given, signal);
    files += 1;
    there.show(`file ${files}`, table);
  },
  own: async () => {
    const csv = page.own();
    // Its header alone: no run is over.
    if (!csv?.trim().includes("\n")) return;
    there.show("own", await read([new File([csv], "The page’s own sweep")]), page.sought());
  },
};
