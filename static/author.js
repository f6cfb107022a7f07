// The way to the editor of schedulers (web/editor/): whoever presses "Write a scheduler", or "Edit" on a script's
// card, or opens a script's file, or comes by `?teach` or `?write`, has it fetched then. A page that was left while something was being written
// opens it again.
(() => {
  const open = async (id, file) => {
    const place = document.getElementById("editor");
    place?.setAttribute("aria-busy", "true");
    try {
      await globalThis.switchyardLazy("editor");
      await globalThis.switchyardEditor(id, file);
    } catch (error) {
      if (place) place.textContent = `The editor could not be loaded (${error.message}). Press the button again.`;
    }
    place?.removeAttribute("aria-busy");
  };

  // Bytes of the longest script (core/policies/src/script/text.rs).
  const LONGEST = 64 * 1024;

  /** Opens the editor with a script's file, which becomes one more scheduler of the list. */
  globalThis.switchyardScript = async (file) => {
    if (file.size > LONGEST) throw new Error(`${file.name} is longer than 64 KB: a script has at most that`);
    await open(undefined, { text: await file.text(), name: file.name.replace(/\.rhai$/i, "") });
  };

  document.addEventListener("click", ({ target }) => {
    const button = target.closest?.("[data-script]");
    if (button) open(button.dataset.script ? Number(button.dataset.script) : undefined);
  });

  // Not in an article's frame. Lessons ask for it: `?write`, and `?teach` for the course.
  const asked = new URLSearchParams(location.search);
  if (asked.has("embed")) return;
  if (asked.has("teach")) {
    globalThis.switchyardEmbed.until((look) => look.open).then(() => open(undefined, "teach"));
    return;
  }
  try {
    if (!asked.has("write") && !JSON.parse(localStorage.getItem("switchyard script"))?.open) return;
  } catch {
    return;
  }
  globalThis.switchyardEmbed.until((look) => look.open).then(() => open());
})();
