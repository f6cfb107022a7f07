// The way to the explorer of sweeps (web/explorer/): a sweep's table that is dropped on the page or chosen, and the
// sweep that the page runs itself, have it fetched then. What is dropped with a table, or chosen, and is none,
// goes where all files go.
(() => {
  const PICKER = "input[aria-label='Trace files']";
  const NAMES = /\.(csv|parquet)$/i;
  /** What a table has and no trace. */
  const COLUMNS = ["trace", "scheduler", "policy", "seed"];
  const HEAD_BYTES = 4096;
  /** A Parquet file ends with a description of its columns, how long that is, and a mark. */
  const END_BYTES = 8;
  const FOOTER_BYTES = 1 << 20;
  const EVERY_MS = 300;

  /** Whether a Parquet file has those columns: its description holds each name after its length. */
  const isParquetTable = async (file) => {
    const end = await file.slice(-END_BYTES).arrayBuffer();
    // Of one that is cut off its name alone tells something.
    if (new TextDecoder("latin1").decode(end.slice(4)) !== "PAR1") return /^results\b/i.test(file.name);
    const length = Math.min(new DataView(end).getUint32(0, true), FOOTER_BYTES);
    const footer = new Uint8Array(await file.slice(-END_BYTES - length, -END_BYTES).arrayBuffer());
    const text = new TextDecoder("latin1").decode(footer);
    return COLUMNS.every((column) => text.includes(String.fromCharCode(column.length) + column));
  };

  const isTable = async (file) => {
    if (!NAMES.test(file.name)) return false;
    try {
      const head = await file.slice(0, HEAD_BYTES).text();
      const columns = head.split(/[\r\n]/, 1)[0].split(/[,;\t]/).map((cell) => cell.replaceAll('"', ""));
      if (head.startsWith("PAR1")) return await isParquetTable(file);
      return COLUMNS.every((column) => columns.includes(column));
    } catch {
      // Who opens it says why it cannot be read.
      return false;
    }
  };

  const made = (name, properties, ...children) => {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children);
    return element;
  };

  // What stands in the view before anything is fetched.
  const input = made("input", { type: "file", multiple: true, hidden: true, ariaLabel: "Tables of sweeps" });
  const button = made("button", { type: "button", onclick: () => input.click() }, "Open a sweep’s table…");
  const hint = made("span", { className: "hint" }, "results.parquet or results.csv of switchyard sweep, or what Save as CSV has saved; or drop it anywhere");
  const said = made("p", { role: "status" });
  const wrong = made("p", { className: "error", role: "alert" });
  let reading = null;
  const cancel = made("button", { type: "button", hidden: true, onclick: () => reading?.abort() }, "Cancel");
  const chooser = made("div", { className: "row open-table" }, button, input, hint);
  let place = null;

  const begin = async (what) => {
    try {
      await globalThis.switchyardLazy("explorer");
    } catch (error) {
      throw new Error(`What shows sweeps could not be loaded (${error.message}): try again.`);
    }
    await what(globalThis.switchyardExplorer);
    place?.append(globalThis.switchyardExplorer.root);
  };

  const open = async (files) => {
    globalThis.switchyardEmbed.page.show("sweep");
    // What was being read gives way.
    reading?.abort();
    const { signal } = (reading = new AbortController());
    said.textContent = `Reading ${files.map(({ name }) => name).join(", ")}…`;
    wrong.textContent = "";
    cancel.hidden = false;
    const failed = await begin((explorer) => explorer.open(files, signal)).then(() => null, (error) => error);
    if (reading.signal !== signal) return;
    cancel.hidden = true;
    said.textContent = signal.aborted ? "Cancelled: no table is opened." : "";
    wrong.textContent = signal.aborted || !failed ? "" : failed.message;
  };

  let following = 0;
  /** The page's own sweep, as far as it has come. */
  const follow = () => {
    following ||= setTimeout(async () => {
      following = 0;
      try {
        await begin((explorer) => explorer.own());
      } catch (error) {
        wrong.textContent = error.message;
      }
    }, EVERY_MS);
  };

  customElements.define(
    "switchyard-explorer",
    class extends HTMLElement {
      static observedAttributes = ["own"];

      connectedCallback() {
        place = this;
        this.append(chooser, said, cancel, wrong);
        if (globalThis.switchyardExplorer) this.append(globalThis.switchyardExplorer.root);
      }

      disconnectedCallback() {
        if (place === this) place = null;
      }

      attributeChangedCallback(_, before, now) {
        if (Number(now) > 0 && now !== before) follow();
      }
    },
  );

  input.onchange = () => {
    const files = [...input.files];
    input.value = "";
    if (files.length) open(files);
  };

  // Not in an article's frame.
  if (new URLSearchParams(location.search).has("embed")) return;

  const looked = new WeakSet();
  /** Tables are taken out of what comes with an event, which then goes on: `again` makes it anew. */
  const divert = async (files, again) => {
    const are = await Promise.all(files.map(isTable));
    const others = new DataTransfer();
    for (const file of files.filter((_, at) => !are[at])) others.items.add(file);
    const [target, event] = again(others);
    looked.add(event);
    target.dispatchEvent(event);
    const tables = files.filter((_, at) => are[at]);
    if (tables.length) open(tables);
  };
  const isMeant = (event, files) => !looked.has(event) && files.some(({ name }) => NAMES.test(name));

  addEventListener(
    "drop",
    (event) => {
      const files = [...(event.dataTransfer?.files ?? [])];
      if (!isMeant(event, files)) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      const { target } = event;
      divert(files, (dataTransfer) => [target, new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer })]);
    },
    true,
  );
  addEventListener(
    "change",
    (event) => {
      const { target } = event;
      const files = [...(target.files ?? [])];
      if (!target.matches(PICKER) || !isMeant(event, files)) return;
      event.stopImmediatePropagation();
      divert(files, ({ files }) => {
        target.files = files;
        return [target, new Event("change", { bubbles: true })];
      });
    },
    true,
  );
})();
