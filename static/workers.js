// Starts the page's workers (web/src/bridge/client.rs calls this); in an article with several figures, asks
// the frame that has them for all (static/sharing.js). Their program is fetched once the page's own is there,
// compiled once for all of them and held in memory: a worker started later asks the server for
// nothing, and is of the same version as its page even where the server has a newer one by then.
// Weights of placements that have learned, and the program that knows the script language, are fetched
// when a run first needs them, and the one that reads Parquet and Arrow when such a file comes: what is asked
// for after loading.
globalThis.switchyardWorkers = (() => {
  const { version } = document.currentScript.dataset;

  // The single file holds the script itself, and the wasm as an address (xtask/src/single_file.rs).
  const held = (file) => document.getElementById(`switchyard-${file}`)?.textContent;

  const fetched = async (file, address = `./${file}?v=${version}`) => {
    // Whatever the page itself is made of goes first.
    const response = await fetch(address, { priority: "low" });
    // `cargo xtask serve` shows the page before it has built what few need (xtask/src/beside.rs).
    if (response.status === 404 && version === "development") {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      return fetched(file, address);
    }
    if (!response.ok) throw new Error(`${file}: ${response.status} ${response.statusText}`);
    return response;
  };

  // What few need is held compressed.
  const bytesOf = async (file) => {
    const packed = held(`${file}.gz`);
    const response = await fetched(file, packed ?? held(file));
    const unpacked = packed ? response.body.pipeThrough(new DecompressionStream("gzip")) : response.body;
    return new Response(unpacked).arrayBuffer();
  };

  const load = async (program) => {
    const [script, bytes] = await Promise.all([
      held(`${program}.js`) ?? fetched(`${program}.js`).then((response) => response.text()),
      bytesOf(`${program}_bg.wasm`),
    ]);
    const module = await WebAssembly.compile(bytes);
    // The module is the first message. Thrown outside of the promise, a failure is the worker's error
    // event.
    const start = `
      onmessage = ({ data }) => {
        onmessage = null;
        wasm_bindgen({ module_or_path: data }).catch((error) => setTimeout(() => { throw error; }));
      };`;
    const address = URL.createObjectURL(new Blob([script, start], { type: "text/javascript" }));
    return { address, module };
  };

  const loading = new Map();
  const program = (name) => {
    if (!loading.has(name)) {
      const mine = load(name);
      loading.set(name, mine);
      // The next worker asks anew for what could not be had.
      mine.catch(() => loading.delete(name));
    }
    return loading.get(name);
  };

  // Under Trusted Types the address of a worker passes a policy: here the only one, which lets
  // through what was made above, and who keeps the page for when there is no network (static/offline.js).
  const keeper = new URL("service-worker.js", document.baseURI).href;
  let policy;
  const trusted = (address) => {
    if (!globalThis.trustedTypes) return address;
    policy ??= trustedTypes.createPolicy("switchyard", {
      createScriptURL: (address) => (address.startsWith("blob:") || address === keeper ? address : null),
    });
    return policy.createScriptURL(address);
  };

  // Where the program that serves the page carries runs (cli/src/open/native.rs)

  /** The protocol that it speaks. */
  let native = document.querySelector('meta[name="switchyard-native"]')?.content;

  /** The page's end of a WebSocket to a run there: frames as web/workers/src/bytes.rs has them. */
  class Native extends EventTarget {
    #socket = new WebSocket(new URL("native", document.baseURI).href.replace(/^http/, "ws"));

    constructor() {
      super();
      const socket = this.#socket;
      socket.binaryType = "arraybuffer";
      let [message, missing, attachments] = [null, 0, []];
      socket.onmessage = ({ data }) => {
        if (missing > 0) {
          attachments.push(data);
          missing--;
        } else {
          [message, missing, attachments] = [data.slice(4), new DataView(data).getUint32(0, true), []];
        }
        if (missing === 0) this.dispatchEvent(new MessageEvent("message", { data: { message, attachments } }));
      };
      socket.onclose = () => {
        native = null;
        const message = "the program that serves this page no longer runs it, so this browser does";
        this.dispatchEvent(new ErrorEvent("error", { message, cancelable: true }));
      };
    }

    postMessage({ message, attachments }) {
      const frame = new Uint8Array(4 + message.byteLength);
      new DataView(frame.buffer).setUint32(0, attachments.length, true);
      frame.set(new Uint8Array(message), 4);
      for (const part of [frame, ...attachments]) this.#socket.send(part);
    }

    terminate() {
      const socket = this.#socket;
      socket.onmessage = socket.onclose = null;
      if (socket.readyState === WebSocket.CONNECTING) socket.onopen = () => socket.close();
      else socket.close();
    }
  }

  /** A run there; null where there is no such program, or of another version. */
  const natively = (name, protocol) => {
    if (name !== "runner" || native !== String(protocol)) return null;
    try {
      return new Native();
    } catch {
      // A security policy forbids it.
      native = null;
      return null;
    }
  };

  // Where the figures of an article share workers

  /** What static/view.js calls the frame that has them. */
  const SHARING = "switchyard-workers";
  const PATIENCE_MS = 3_000;
  const EVERY_MS = 50;

  let sharing = (() => {
    try {
      // Even of another host's window one sees the frames that have names.
      return parent === self || held("worker.js") ? null : (parent[SHARING] ?? null);
    } catch {
      return null;
    }
  })();

  /** The page's end of a line to a worker there. */
  class Line extends EventTarget {
    #port;

    constructor(port) {
      super();
      this.#port = port;
      port.onmessage = ({ data }) => {
        const isError = typeof data?.error === "string";
        this.dispatchEvent(isError ? new ErrorEvent("error", { message: data.error, cancelable: true }) : new MessageEvent("message", { data }));
      };
    }

    postMessage(parcel) {
      this.#port.postMessage(parcel);
    }

    terminate() {
      this.#port.onmessage = null;
      this.#port.postMessage(null);
      this.#port.close();
    }
  }

  /** A line to a worker that is shared; null where there are none, or of another version. */
  const line = async (name) => {
    for (let waited = 0; sharing && waited < PATIENCE_MS; waited += EVERY_MS) {
      // Of no host yet, or another one: it throws.
      const isThere = (() => {
        try {
          return sharing.switchyardSharing;
        } catch {
          return false;
        }
      })();
      if (!isThere) {
        await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
        continue;
      }
      const { port1, port2 } = new MessageChannel();
      const isOurs = new Promise((resolve) => (port1.onmessage = ({ data }) => resolve(data)));
      sharing.postMessage({ worker: name, version }, self.origin, [port2]);
      if (await isOurs) return new Line(port1);
      break;
    }
    sharing = null;
    return null;
  };

  /** A worker of a role, in a program that knows it (web/src/bridge/protocol). */
  const begin = async (name, file = "worker") => {
    const { address, module } = await program(file);
    const worker = new Worker(trusted(address), { name });
    worker.postMessage(module);
    return worker;
  };

  // The page's own program goes first.
  const early = () => program("worker").catch(() => {});
  if (!sharing) Promise.resolve(globalThis.switchyardProgram).then(early);
  // Not to keep those that are gone already.
  const started = new Set();
  const endAll = () => started.forEach((worker) => worker.deref()?.terminate());
  addEventListener("pagehide", ({ persisted }) => sharing && !persisted && endAll());
  return {
    version,
    begin,
    start: async (name, file = "worker", protocol = undefined) => {
      // Those of a program of their own are not shared.
      const worker = natively(name, protocol) ?? (file === "worker" ? await line(name) : null) ?? (await begin(name, file));
      started.add(new WeakRef(worker));
      return worker;
    },
    // What placements have learned, by their names (web/src/session/runs/weights.rs).
    weights: async (placement) => {
      const file = `weights/${placement}.safetensors`;
      const response = await fetched(file, held(file));
      return new Uint8Array(await response.arrayBuffer());
    },
    endAll,
    /** When the workers' program is there. */
    have: () => program("worker"),
    keeper: () => trusted(keeper),
  };
})();
