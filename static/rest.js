// The page's program comes in two parts (xtask/src/parts.rs): what the first picture needs, and the rest, which joins it
// here. Who needs the rest before it has come has it loaded at once, and waits: the page stands still as long.
globalThis.switchyardRest = (() => {
  // Where the rest is; none where the program is whole, as in the single file and in development.
  const { rest } = document.currentScript.dataset;
  const address = rest === "none" ? null : new URL(rest, location).href;
  /** What the program asks the page for, and what it exports, once it runs. */
  let imports = null;
  let exports = null;
  let compiled = null;
  let isThere = false;
  /** How often somebody had to wait for it. */
  let waits = 0;

  const join = (module) => {
    if (isThere) return;
    new WebAssembly.Instance(module, { ...imports, first: exports() });
    exports().$there.value = 1;
    isThere = true;
  };

  const bytesAtOnce = () => {
    const request = new XMLHttpRequest();
    try {
      request.open("GET", address, false);
      // Bytes as characters: a request that is waited for has nothing else.
      request.overrideMimeType("text/plain; charset=x-user-defined");
      request.send();
    } catch (error) {
      throw new Error(`the rest of the program could not be loaded: ${error.message}`);
    }
    if (request.status !== 200) throw new Error(`the rest of the program could not be loaded: ${request.status} ${request.statusText}`);
    return Uint8Array.from(request.responseText, (character) => character.charCodeAt(0));
  };

  return {
    address,
    /** Called by the program's module before it is there. */
    expect: (theirs, exported) => {
      imports = { ...theirs };
      exports = exported;
      theirs.rest = {
        load: () => {
          if (!compiled) waits += 1;
          join(compiled ?? new WebAssembly.Module(bytesAtOnce()));
        },
      };
    },
    /** The rest has come. It joins where it is needed, at the latest by `join`. */
    hold: (module) => (compiled = module),
    join: () => compiled && exports?.() && join(compiled),
    isThere: () => isThere,
    waits: () => waits,
  };
})();
