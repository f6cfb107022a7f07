// The way to the editor of schedulers (editor/): whoever presses "Write a scheduler", or "Edit" on a script's
// card, has it fetched then, and whoever never does downloads nothing of it. A page that was left while
// something was being written opens it again. The single file holds it as a function that nobody has called.
(() => {
  const { version } = globalThis.switchyardWorkers;
  let loading = null;
  const load = async () => {
    if (globalThis.switchyardEditorHeld) globalThis.switchyardEditorHeld();
    else await import(new URL(`./editor.js?v=${version}`, document.baseURI).href);
    return globalThis.switchyardEditor;
  };

  const open = async (id) => {
    const place = document.getElementById("editor");
    place?.setAttribute("aria-busy", "true");
    try {
      loading ??= load();
      await (await loading)(id);
    } catch (error) {
      loading = null;
      if (place) place.textContent = `The editor could not be loaded (${error.message}). Press the button again.`;
    }
    place?.removeAttribute("aria-busy");
  };

  document.addEventListener("click", ({ target }) => {
    const button = target.closest?.("[data-script]");
    if (button) open(button.dataset.script ? Number(button.dataset.script) : undefined);
  });

  // Not in an article's frame.
  if (new URLSearchParams(location.search).has("embed")) return;
  try {
    if (!JSON.parse(localStorage.getItem("switchyard script"))?.open) return;
  } catch {
    return;
  }
  const again = setInterval(() => {
    let look;
    try {
      look = globalThis.switchyardEmbed.ask("look");
    } catch {
      // The program has not come yet.
    }
    if (!look?.[5]) return;
    clearInterval(again);
    open();
  }, 100);
})();
