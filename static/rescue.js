// When the page's program has failed: says what happened, and offers the settings as a link, the
// experiment as a file, and to reload. The program cannot be asked any more by then: what is offered
// is what web/src/rescue.rs noted here while it ran.
globalThis.switchyardRescue = (() => {
  let link = location.href;
  let experiment = null;
  let isOver = false;

  const element = (name, properties, ...children) => {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  };

  const save = (text) => switchyardSaving.save(new Blob([text], { type: "text/csv" }), experiment.name);

  // A worker still can write it: what it is to be asked lies ready.
  const write = async (button) => {
    button.disabled = true;
    const failed = (error) => button.replaceWith(`The experiment cannot be written: ${switchyardWords(error)}.`);
    try {
      const worker = await switchyardWorkers.begin("exporter");
      worker.onerror = (event) => {
        event.preventDefault();
        failed(event.message);
      };
      worker.onmessage = ({ data }) => {
        // Kinds of parcels; a test in web/src/bridge/protocol holds them to the protocol.
        if (data.kind === "ready") {
          worker.postMessage(experiment.parcel);
          return;
        }
        if (data.kind !== "exported") return failed("");
        save(data.attachments[0]);
        worker.terminate();
        button.disabled = false;
      };
    } catch (error) {
      failed(error);
    }
  };

  const stop = (error) => {
    if (isOver) return;
    isOver = true;
    // Nothing may call the program any more.
    switchyardWorkers.endAll();
    for (let timer = setTimeout(() => {}); timer > 0; timer--) clearTimeout(timer);
    const words = switchyardWords(error);
    const details = String(error?.stack ?? error);
    console.warn(details);
    const reload = element("button", { type: "button", className: "primary" }, "Reload");
    reload.onclick = () => {
      history.replaceState(null, "", link);
      location.reload();
    };
    const buttons = [reload];
    if (experiment) {
      const button = element("button", { type: "button" }, "Save the experiment");
      button.onclick = () => write(button);
      buttons.push(button);
    }
    document.getElementById("app").replaceChildren(
      element(
        "main",
        { className: "rescue" },
        element("h1", {}, "Switchyard has stopped"),
        element("p", { role: "alert" }, `${words[0].toUpperCase()}${words.slice(1)}. Nothing has left this computer.`),
        element("p", {}, "The settings are in ", element("a", { href: link }, "this link"), experiment ? "; the experiment is the jobs together with them, as a file to open again." : "."),
        element("div", { className: "row" }, ...buttons),
        element("p", {}, element("a", { href: location.pathname }, "Start with the sample")),
        element("details", {}, element("summary", {}, "For a report of this fault"), element("pre", {}, details)),
      ),
    );
    reload.focus();
  };

  // An error on its way through the program leaves it unusable; others' errors do not concern it.
  const isOfProgram = (error) =>
    error instanceof WebAssembly.RuntimeError || /wasm/.test(String(error?.stack));
  const listen = (name, errorOf) =>
    addEventListener(name, (event) => {
      if (!isOver && !isOfProgram(errorOf(event))) return;
      event.preventDefault();
      stop(errorOf(event));
    });
  listen("error", (event) => event.error);
  listen("unhandledrejection", (event) => event.reason);

  return {
    stop,
    noteLink: (fragment) => (link = new URL(`#${fragment}`, location).href),
    noteExperiment: (name, parcel) => (experiment = { name, parcel }),
  };
})();
