// Scripts that few need (xtask/src/workspace.rs lists them): each is fetched when somebody first needs it, and
// who never does downloads nothing of it. The single file holds them as functions that nobody has called.
globalThis.switchyardLazy = (() => {
  const { version } = globalThis.switchyardWorkers;
  const held = globalThis.switchyardHeld;
  const loading = new Map();
  const load = async (name) => {
    if (held) held[name]();
    else await import(new URL(`./${name}.js?v=${version}`, document.baseURI).href);
  };
  return (name) => {
    if (!loading.has(name)) {
      const mine = load(name);
      loading.set(name, mine);
      // Who asks next tries again.
      mine.catch(() => loading.delete(name));
    }
    return loading.get(name);
  };
})();
