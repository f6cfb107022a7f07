// Files that do not come from the visitor's disk: fetched from an address that a link names or a person
// pastes, or packed within a link. web/src/session/remote.rs calls this; what fails is an error with a
// sentence for people. A fetch sends nothing but the request: no cookies, no referrer, no content.
globalThis.switchyardRemote = (() => {
  // A page holds what it fetches in memory until it is read.
  const MOST_BYTES = 512e6;
  const FROM_DISK = "save the file, and open it from your disk";
  const TOO_LARGE = `it has more than ${MOST_BYTES / 1e6} MB, which the page does not fetch: ${FROM_DISK}`;
  /** A host that says nothing for so long will not. */
  const PATIENCE_MS = 30_000;

  let fetching;

  /** Whether a host sends on to another address, which is not followed here. */
  const sendsOn = (address, wishes) =>
    fetch(address, { ...wishes, redirect: "manual" }).then(({ type }) => type === "opaqueredirect", () => false);

  const answerOf = async (address, signal) => {
    let forbidden = false;
    const note = (event) => (forbidden ||= /^connect-src/.test(event.effectiveDirective));
    document.addEventListener("securitypolicyviolation", note);
    const wishes = { signal, mode: "cors", credentials: "omit", referrerPolicy: "no-referrer" };
    try {
      return await fetch(address, wishes);
    } catch (error) {
      if (signal.aborted) throw error;
      // The event may come a moment later.
      await new Promise((resolve) => setTimeout(resolve, 50));
      const { host, protocol } = new URL(address);
      // The event names the first address, whichever of them is forbidden.
      if (await sendsOn(address, wishes)) {
        throw new Error(
          `${host} sends on to another address, which the page cannot fetch: it is no https address, or its host or the security policy of this site does not let the page read it. Open the address in a tab, ${FROM_DISK}`,
        );
      }
      if (forbidden) {
        throw new Error(
          protocol === "https:"
            ? "the security policy of this site (Content-Security-Policy: connect-src) lets the page fetch nothing from other hosts: " + FROM_DISK
            : "it is no https address, and only those are fetched from other hosts",
        );
      }
      const raw = host === "github.com" ? " On GitHub, take the address of Raw." : "";
      throw new Error(
        `${host} cannot be reached, or does not let other pages read its files (CORS): ${FROM_DISK}.${raw}`,
      );
    } finally {
      document.removeEventListener("securitypolicyviolation", note);
    }
  };

  const WHY = {
    204: "the host has nothing there",
    206: "the host gives a part of the file alone: " + FROM_DISK,
    401: "it is only for those who have signed in",
    403: "the host does not give it to everybody",
    404: "there is no such file: look whether the address is whole",
    410: "the file is not there any more",
    429: "the host has been asked too often: try again later",
  };

  /** A file at an address; `told(bytes, total)` hears how far it has come (total 0: unknown). */
  const take = async (address, name, told) => {
    fetching?.abort();
    const mine = (fetching = new AbortController());
    const { host } = new URL(address);
    /** What is asked of the host, if something comes of it in time. */
    const inTime = (asked) => {
      const late = new Error(`${host} has said nothing for ${PATIENCE_MS / 1000} s: try again later, or ${FROM_DISK}`);
      const timer = setTimeout(() => mine.abort(late), PATIENCE_MS);
      return asked().finally(() => clearTimeout(timer));
    };
    const response = await inTime(() => answerOf(address, mine.signal));
    // A part is not the whole, and nothing is no file.
    if (!response.ok || WHY[response.status]) {
      mine.abort();
      const why = WHY[response.status] ?? `the host answers ${response.status} ${response.statusText}`;
      throw new Error(`${why} (${response.status})`);
    }
    const total = Number(response.headers.get("content-length") ?? 0);
    const parts = [];
    let bytes = 0;
    const reader = response.body.getReader();
    const isTooLarge = () => Math.max(bytes, total) > MOST_BYTES;
    const brokenOff = (error) => {
      if (mine.signal.aborted) throw error;
      throw new Error(`the connection to ${host} broke off after ${(bytes / 1e6).toFixed(1)} MB: try again`);
    };
    for (;;) {
      const { done, value } = isTooLarge() ? { done: true } : await inTime(() => reader.read()).catch(brokenOff);
      if (done) break;
      parts.push(value);
      bytes += value.length;
      // What is unpacked on the way is longer than was said.
      told(bytes, Math.max(total, bytes));
    }
    if (isTooLarge()) {
      mine.abort();
      throw new Error(TOO_LARGE);
    }
    return new File(parts, name);
  };

  // Bytes of a link's text when unpacked: a few letters may stand for very many.
  const MOST_UNPACKED = 8e6;

  /** A text, or a file, as letters, digits, - and _, to travel in a link. */
  const pack = async (text) => {
    const packed = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
    const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
    const letters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
    return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  };

  // Bytes of a plug-in, and of one that is packed (core/policies/src/plugin/code.rs).
  const MOST_OF_A_PLUGIN = 256 * 1024;
  const MOST_OF_A_PACKED_PLUGIN = 16 * 1024;

  /** The policy that a module of WebAssembly is, as a spec. */
  const plugin = async (file) => {
    const start = new Uint8Array(await file.slice(0, 4).arrayBuffer());
    if (String.fromCharCode(...start) !== "\0asm") throw new Error(`${file.name} is no module of WebAssembly: what a plug-in is stands in docs/plugins.md`);
    if (file.size > MOST_OF_A_PLUGIN) throw new Error(`${file.name} is too large: a plug-in has at most 256 KB`);
    const code = await pack(file);
    if (code.length > (MOST_OF_A_PACKED_PLUGIN * 4) / 3) throw new Error(`${file.name} is too large: a plug-in has at most 16 KB when it is packed. Build it for size, without symbols`);
    const name = file.name.replace(/\.wasm$/i, "").replace(/[[\],=\p{Cc}]/gu, " ").trim();
    return `plugin[code=${code}${name && `,name=${name}`}]`;
  };

  /** The file of this name that was packed so; `held`: within this page (static/snippets.js). */
  const unpack = async (link, name) => {
    const own = link === "held" ? document.getElementById("switchyard-experiment")?.textContent : null;
    if (own === undefined) throw new Error("the link is of a file that holds its jobs: open that file");
    const [packed, most] = own === null ? [link, MOST_UNPACKED] : [own, MOST_BYTES];
    const parts = [];
    let size = 0;
    try {
      const letters = atob(packed.replaceAll("-", "+").replaceAll("_", "/"));
      const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
      const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        size += value.length;
        if (size > most) break;
        parts.push(value);
      }
    } catch {
      throw new Error("the link is not whole: it may have been cut off on its way. Ask for it again, or for the file");
    }
    if (size > most) throw new Error("what is packed in the link is too large");
    return new File(parts, name);
  };

  return { take, leave: () => fetching?.abort(), pack, unpack, plugin };
})();
