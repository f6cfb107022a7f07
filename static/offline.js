// Keeps the published page for when there is no network: a service worker (static/service-worker.js) answers for its
// files. It is asked for once the page and its workers are there, so that nobody waits for it. Where the page is no app
// (its manifest is not named: in one file, in development, by `switchyard open`), in a frame and as a figure, nothing is
// kept.
(() => {
  if (!document.querySelector("link[rel=manifest]")) return;
  // Without an origin, even the question fails.
  if (self.origin === "null" || location.protocol === "file:" || parent !== self) return;
  const asked = new URLSearchParams(location.search);
  if (asked.has("embed") || asked.has("workers")) return;
  const container = navigator.serviceWorker;
  if (!container) return;

  /** Says that a newer page is there, and leaves it to the person when to see it. */
  const tell = () => {
    if (document.getElementById("newer")) return;
    const told = document.createElement("div");
    told.id = "newer";
    told.setAttribute("role", "status");
    document.body.append(told);
    const button = (words, press) => {
      const button = document.createElement("button");
      [button.type, button.textContent, button.onclick] = ["button", words, press];
      return button;
    };
    // What comes after its element is read out.
    requestAnimationFrame(() =>
      told.append(
        "A new version of this page is there: reload it when you like.",
        button("Reload", () => location.reload()),
        button("Later", () => told.remove()),
      ),
    );
  };

  // Whoever had answered before is of the version that is open.
  let isKept = Boolean(container.controller);
  container.addEventListener("controllerchange", () => {
    if (isKept) tell();
    isKept = true;
  });

  /** An installed app has all of its parts at once. Else those that few need are kept when they are first used. */
  const keepAll = () => container.ready.then(({ active }) => active.postMessage("all"));

  const begin = async () => {
    try {
      await switchyardProgram;
      await switchyardWorkers.have();
      await container.register(switchyardWorkers.keeper(), { updateViaCache: "none" });
      if (matchMedia("(display-mode: standalone)").matches) keepAll();
      addEventListener("appinstalled", keepAll);
    } catch {
      // A browser that keeps nothing, or a host that has taken the file away: the page works as it did.
    }
  };
  begin();
})();
