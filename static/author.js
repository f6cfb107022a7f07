// The way to the editor of schedulers (editor/): whoever presses "Write a scheduler", or "Edit" on a script's
// card, has it fetched then. A page that was left while something was being written opens it again.
(() => {
  const open = async (id) => {
    const place = document.getElementById("editor");
    place?.setAttribute("aria-busy", "true");
    try {
      await globalThis.switchyardLazy("editor");
      await globalThis.switchyardEditor(id);
    } catch (error) {
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
