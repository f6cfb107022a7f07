// Starts the page's workers (web/src/bridge/client.rs calls this). Their scripts and wasm are
// fetched at load and held in memory: a worker started later asks the server for nothing, and is of
// the same version as its page even where the server has a newer one by then.
globalThis.switchyardWorkers = (() => {
  const { version } = document.currentScript.dataset;

  const fetched = async (file) => {
    // Whatever the page itself is made of goes first.
    const response = await fetch(`./${file}?v=${version}`, { priority: "low" });
    if (!response.ok) throw new Error(`${file}: ${response.status} ${response.statusText}`);
    return response.blob();
  };

  // The single file holds them as text (xtask/src/single_file.rs).
  const held = (file) => document.getElementById(`switchyard-${file}`)?.textContent;

  const program = async (name) => {
    const [script, wasm] = await Promise.all([
      held(`${name}.js`) ?? fetched(`${name}.js`),
      held(`${name}_bg.wasm`) ?? fetched(`${name}_bg.wasm`).then(URL.createObjectURL),
    ]);
    // Thrown outside of the promise, a failure is the worker's error event.
    const fail = "(error) => setTimeout(() => { throw error; })";
    const start = `\nwasm_bindgen({ module_or_path: "${wasm}" }).catch(${fail});`;
    return new Blob([script, start], { type: "text/javascript" });
  };

  const addresses = new Map();
  const address = (name) => {
    if (!addresses.has(name)) {
      addresses.set(name, program(name).then(URL.createObjectURL));
      // The next worker asks anew for what could not be had.
      addresses.get(name).catch(() => addresses.delete(name));
    }
    return addresses.get(name);
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

  for (const name of ["opener", "runner"]) address(name);
  // Not to keep those that are gone already.
  const started = new Set();
  return {
    start: async (name) => {
      const worker = new Worker(trusted(await address(name)));
      started.add(new WeakRef(worker));
      return worker;
    },
    endAll: () => started.forEach((worker) => worker.deref()?.terminate()),
  };
})();
