// Holds the workers in memory: a worker started later asks the server for nothing, and is of the
// same version as its page even where the server has a newer one by then.
globalThis.switchyardWorkers = (async () => {
  const load = async (name) => {
    const response = await fetch(`./${name}?v={version}`);
    if (!response.ok) throw new Error(`${name}: ${response.status} ${response.statusText}`);
    return response.blob();
  };
  const worker = async (name) => {
    const [script, wasm] = await Promise.all([load(`${name}.js`), load(`${name}_bg.wasm`)]);
    const start = `\nwasm_bindgen({ module_or_path: "${URL.createObjectURL(wasm)}" });`;
    return URL.createObjectURL(new Blob([script, start], { type: "text/javascript" }));
  };
  const [opener, runner] = await Promise.all([worker("opener"), worker("runner")]);
  return { opener, runner };
})();
