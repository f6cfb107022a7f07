// Starts the page's workers (web/src/bridge/client.rs calls this). Their program is fetched at load,
// compiled once for all of them and held in memory: a worker started later asks the server for
// nothing, and is of the same version as its page even where the server has a newer one by then.
// Weights of placements that have learned are fetched when a run first needs them: the one thing that
// is asked for after loading.
globalThis.switchyardWorkers = (() => {
  const { version } = document.currentScript.dataset;

  // The single file holds the script itself, and the wasm as an address (xtask/src/single_file.rs).
  const held = (file) => document.getElementById(`switchyard-${file}`)?.textContent;

  const fetched = async (file, address = `./${file}?v=${version}`) => {
    // Whatever the page itself is made of goes first.
    const response = await fetch(address, { priority: "low" });
    if (!response.ok) throw new Error(`${file}: ${response.status} ${response.statusText}`);
    return response;
  };

  // Frames of one article and one host compile once (static/view.js, static/start.js).
  const compiled = async () => {
    const { shared } = globalThis.switchyardStart;
    const known = shared?.get(`worker ${version}`);
    if (known) return known;
    const bytes = await (await fetched("worker_bg.wasm", held("worker_bg.wasm"))).arrayBuffer();
    const module = await WebAssembly.compile(bytes);
    shared?.set(`worker ${version}`, module);
    return module;
  };

  const load = async () => {
    const [script, module] = await Promise.all([
      held("worker.js") ?? fetched("worker.js").then((response) => response.text()),
      compiled(),
    ]);
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

  let loading;
  const program = () => {
    if (!loading) {
      loading = load();
      // The next worker asks anew for what could not be had.
      loading.catch(() => (loading = undefined));
    }
    return loading;
  };

  // Under Trusted Types the address of a worker passes a policy: here the only one, which lets
  // through what was made above.
  let policy;
  const trusted = (address) => {
    if (!globalThis.trustedTypes) return address;
    policy ??= trustedTypes.createPolicy("switchyard", {
      createScriptURL: (address) => (address.startsWith("blob:") ? address : null),
    });
    return policy.createScriptURL(address);
  };

  program();
  // Not to keep those that are gone already.
  const started = new Set();
  return {
    start: async (name) => {
      const { address, module } = await program();
      const worker = new Worker(trusted(address), { name });
      worker.postMessage(module);
      started.add(new WeakRef(worker));
      return worker;
    },
    // What placements have learned, by their names (web/src/session/weighing.rs).
    weights: async (placement) => {
      const file = `weights/${placement}.safetensors`;
      const response = await fetched(file, held(file));
      return new Uint8Array(await response.arrayBuffer());
    },
    endAll: () => started.forEach((worker) => worker.deref()?.terminate()),
  };
})();
