// Starts the page's program, and says in words what keeps it from starting. It is a classic script
// because those load where modules do not: from a disk, and in a frame whose sandbox has no origin.
(() => {
  // The single file holds its program itself, and this script too.
  const isSingleFile = !document.currentScript.src;
  // How long the parts of the page's program are; no numbers where nobody has said so.
  const [firstBytes, restBytes] = document.currentScript.dataset.bytes.split(",").map(Number);
  const singleFile = `./switchyard.html${location.search}${location.hash}`;

  // A frame of an article that only has the workers of all its figures (static/sharing.js), and what the
  // program of these is compiled to.
  const isForWorkers = !isSingleFile && new URLSearchParams(location.search).has("workers");
  if (isForWorkers) globalThis.switchyardModules = new Map();

  /** What has been compiled for others of the article's figures, or is being compiled, by its address. */
  const modules = () => {
    try {
      return isForWorkers || parent === self ? globalThis.switchyardModules : parent["switchyard-workers"]?.switchyardModules;
    } catch {
      return undefined;
    }
  };

  // Whoever goes to the lessons finds the way back to what was open (static/lessons/lesson.js).
  const noteLeaving = () => {
    try {
      sessionStorage.setItem(`switchyard ${new URL(".", location).pathname}`, location.hash);
    } catch {
      // A browser that keeps nothing leads to the page as it is at first.
    }
  };
  if (parent === self) addEventListener("pagehide", noteLeaving);

  // A file that was saved with a trace and settings inside starts with them (static/snippets.js).
  const held = document.getElementById("switchyard-link")?.textContent;
  if (held && !location.hash.includes("=")) location.replace(`#${held}`);

  // One paragraph: what is said while the page is still being read moves to its place later.
  const paragraph = document.createElement("p");
  paragraph.className = "stopped";
  paragraph.setAttribute("role", "alert");
  const say = (...words) => {
    paragraph.replaceChildren(...words);
    delete document.documentElement.dataset.picture;
    document.getElementById("loading")?.remove();
    const starting = document.getElementById("starting");
    if (starting) starting.replaceChildren(paragraph);
    else document.body?.append(paragraph);
  };

  // What keeps the page for when there is no network (static/offline.js) may be forbidden: it works without.
  const isOurs = (address) =>
    /^(blob|wasm-eval|trusted-types)/.test(address) ||
    (address.startsWith(new URL(".", location).href) && !address.endsWith("/service-worker.js"));
  let forbidden;
  document.addEventListener("securitypolicyviolation", (event) => {
    // Others' extensions and reports are none of the page's business.
    if (forbidden || event.disposition !== "enforce" || !isOurs(event.blockedURI)) return;
    const own = document.querySelector("meta[http-equiv='Content-Security-Policy']");
    forbidden =
      "A security policy (Content-Security-Policy) forbids what Switchyard needs: " +
      `${event.effectiveDirective} does not allow ${event.blockedURI}. ` +
      `Whoever hosts or embeds this page has to allow: ${own?.content}`;
    say(forbidden);
  });

  const failed = (error) => {
    if (!document.getElementById("starting")) return;
    if (forbidden) {
      say(forbidden);
    } else if (location.protocol === "file:" && !isSingleFile) {
      const link = document.createElement("a");
      link.href = singleFile;
      link.textContent = "switchyard.html";
      say("From a disk, browsers do not load the parts of a page. Open ", link, " instead, which lies beside this file: it is the same page in one file.");
    } else if (self.origin === "null" && !isSingleFile) {
      // Without an origin, and without the server's leave (CORS), it can load no parts either.
      location.replace(singleFile);
    } else {
      const why = error?.message ?? error;
      say(`Switchyard could not be started (${why}). Reload the page; if that does not help, its files are not all there, or this browser is too old.`);
    }
  };
  addEventListener("error", (event) => failed(event.error ?? event));
  addEventListener("unhandledrejection", (event) => failed(event.reason));

  // Whoever fetches what is needed later waits for this (static/workers.js): a line has room for one program at a time.
  let arrived;
  globalThis.switchyardProgram = new Promise((resolve) => (arrived = resolve));

  // How much is waited for, and how much of it is there.
  let wholeBytes = 0;
  let bytes = 0;

  /** Shows how much of the program is there, until all of a part is. */
  const follow = async (response) => {
    const bar = document.getElementById("loaded");
    const words = document.getElementById("loaded-words");
    const megabytes = (bytes) => (bytes / 1e6).toFixed(1);
    for (const reader = response.body.getReader(); ; ) {
      const { done, value } = await reader.read();
      if (done) return;
      bytes += value.byteLength;
      if (!bar || !wholeBytes) continue;
      [bar.max, bar.value] = [wholeBytes, bytes];
      words.textContent = `Loading ${megabytes(bytes)} of ${megabytes(wholeBytes)} MB`;
    }
  };

  /** A part of the program: the answer with it, and when all of it has come. */
  const fetched = (address) => {
    const response = fetch(address);
    // Whether it can be used is told by who uses it.
    const hasCome = response.then((response) => follow(response.clone())).catch(() => {});
    return { part: response, hasCome };
  };

  /** The same, compiled once for all of an article's figures. */
  const shared = (address) => {
    const all = modules();
    if (!all.has(address)) {
      const part = isForWorkers ? fetch(address) : fetched(address).part;
      all.set(address, WebAssembly.compileStreaming(part));
      // Whoever comes later tries again.
      all.get(address).catch(() => all.delete(address));
    }
    return { part: all.get(address), hasCome: Promise.resolve() };
  };

  const compiled = async (part) => {
    const given = await part;
    if (!(given instanceof Response)) return given;
    if (!given.ok) throw new Error(`${given.url}: ${given.status} ${given.statusText}`);
    return WebAssembly.compile(await given.arrayBuffer());
  };

  addEventListener("DOMContentLoaded", async () => {
    // This script runs, so it can say what is wrong.
    document.getElementById("late")?.remove();
    const program = document.querySelector("link[rel=modulepreload]");
    const loading = document.getElementById("loading");
    if (!program || isForWorkers) {
      arrived();
      loading?.remove();
    } else if (loading) {
      loading.hidden = false;
    }
    if (!program) return;
    try {
      const get = modules() ? shared : fetched;
      const first = get(document.querySelector("link[as=fetch]").href);
      const { address } = switchyardRest;
      // The first picture does without the rest; whatever else a page begins with may need it at once.
      const isLater = "picture" in document.documentElement.dataset;
      const getRest = async () => address && switchyardRest.hold(await compiled(get(address).part));
      const rest = isLater ? first.hasCome.then(getRest) : getRest();
      Promise.all([first.hasCome, rest]).then(arrived, arrived);
      wholeBytes = firstBytes + (isLater ? 0 : restBytes);
      if (isForWorkers) return;
      // It is told below, where it is waited for.
      first.part.catch(() => {});
      const { default: start } = await import(program.href);
      if (!isLater) await rest;
      await start({ module_or_path: await first.part });
      loading?.remove();
      // Where it does not come, the program asks once more when it needs it.
      if (isLater) await rest.catch(() => {});
      switchyardRest.join();
    } catch (error) {
      failed(error);
    } finally {
      arrived();
      document.getElementById("loading")?.remove();
    }
  });
})();
