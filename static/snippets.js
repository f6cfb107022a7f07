// The Embed dialog: a view as a snippet for an article, as the element (static/view.js) or as a plain frame,
// with a preview; and the page as one file that has the trace and all settings within, to attach to a
// paper's artefact. What the program knows it is asked by static/embed.js; docs/embedding.md is for authors.
globalThis.switchyardSnippets = (() => {
  // The single file holds this script itself, and its policy lets it show no frames.
  const isSingleFile = !document.currentScript.src;
  // A page that is served for development has none beside it (xtask/src/build.rs).
  const singleFile = document.querySelector("link[rel=alternate]")?.href;

  /** A link with more letters is not offered: browsers and editors take this much. */
  const MOST_LETTERS = 300_000;
  /** A link that the snippet has twice has at most so many. */
  const MOST_LETTERS_TWICE = 2_000;
  const SANDBOX = "allow-scripts allow-downloads allow-popups allow-popups-to-escape-sandbox";
  const HEIGHT = 480;

  const made = (name, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children);
    return element;
  };
  const escaped = (text) => text.replace(/[&"<>]/g, (letter) => `&#${letter.charCodeAt(0)};`);
  const { save, size } = switchyardSaving;
  const changed = (...of) => switchyardEmbed.changed(...of);

  /** The jobs that are open with all settings, packed. */
  const packed = () => new Promise((then) => switchyardEmbed.page.experiment(then)).then(switchyardRemote.pack);

  // Snippets

  /** The link to what is shown; beside a trace, with the word "held" in the place of its packed jobs. */
  const held = (trace) => (trace ? switchyardEmbed.page.linkWith("held") : switchyardEmbed.page.link());

  const themeOf = ({ theme }) => (theme === "auto" ? null : theme);

  /** A link with what is set in the dialog. */
  const asSet = (link, set) => changed(link, { view: set.view, theme: themeOf(set), t: set.t, speed: set.speed });

  /** The link of a figure, whose view and job are said beside it. */
  const linkOf = (trace, set) => {
    const link = held(trace).replace("experiment=held", `experiment=${trace ?? "held"}`);
    return changed(asSet(link, set), { view: null, job: null, follow: null });
  };

  const frameAddress = (page, trace, set) => {
    const search = new URLSearchParams({ embed: set.view });
    if (!set.controls) search.set("controls", "none");
    search.set("autoplay", set.autoplay ? 1 : 0);
    if (set.highlight) search.set("highlight", set.highlight);
    return `${page}?${search}#${linkOf(trace, set)}`;
  };

  const page = () => new URL(isSingleFile ? location.pathname : "./index.html", location).href;

  /** Without an origin, a page of a server that lets no others read its files shows the one file beside it. */
  const sandbox = isSingleFile || singleFile ? ` sandbox="${SANDBOX}"` : "";

  const asFrame = (trace, set) =>
    `<iframe src="${escaped(frameAddress(page(), trace, set))}"${sandbox} allow="clipboard-write" title="${escaped(set.caption || "Switchyard")}" width="100%" height="${HEIGHT}" style="border:0"></iframe>`;

  const asElement = (trace, set) => {
    const link = linkOf(trace, { ...set, theme: "auto" });
    const attributes = [["view", set.view], ["link", link], ["theme", set.theme], ["highlight", set.highlight], ["caption", set.caption], ["poster", set.poster]];
    const said = attributes.filter(([, value]) => value && value !== "auto").map(([name, value]) => `${name}="${escaped(value)}"`);
    const flags = ["controls", "autoplay"].filter((name) => set[name]);
    const poster = set.poster ? `\n  <img src="${escaped(set.poster)}" alt="${escaped(set.caption || "Switchyard")}">` : "";
    // What stands in the figure's place where its script does not come.
    const whole = `${page()}#${changed(link, { view: set.view, theme: themeOf(set) })}`;
    const words = `This figure comes from ${escaped(location.host)}`;
    const within = whole.length > MOST_LETTERS_TWICE ? `<p>${words}.</p>` : `<a href="${escaped(whole)}">${words}: open it there</a>`;
    return `<script src="${new URL("./view.js", location).href}" async></script>\n<switchyard-view ${[...said, ...flags].join(" ")}>${poster}\n  ${within}\n</switchyard-view>`;
  };

  // One file

  /** The page in one file, as it was before anything was opened. */
  const emptyFile = async () => {
    if (!isSingleFile) {
      const response = await fetch(singleFile);
      if (!response.ok) throw new Error("switchyard.html does not lie beside this page");
      return response.text();
    }
    const root = document.documentElement.cloneNode(true);
    for (const name of Object.keys(root.dataset)) delete root.dataset[name];
    for (const element of root.querySelectorAll("body > dialog, #switchyard-link, #switchyard-experiment")) element.remove();
    root.querySelector("#app").replaceChildren(made("div", { id: "starting" }));
    return `<!doctype html>\n${root.outerHTML}\n`;
  };

  /** With a trace and settings inside: texts that nothing runs, before the first script. */
  const wholeFile = async (trace, set) => {
    const parts = [["link", asSet(held(trace), set)], ["experiment", trace ?? ""]];
    const texts = parts.map(([name, text]) => {
      // What ends an element is not among what links are made of.
      if (/[<>\s]/.test(text)) throw new Error("a link has a letter that it must not have");
      return `<script type="text/plain" id="switchyard-${name}">${text}</script>\n`;
    });
    const html = await emptyFile();
    const at = html.indexOf("<script");
    return new Blob([html.slice(0, at), ...texts, html.slice(at)], { type: "text/html" });
  };

  // The dialog

  const TITLES = { auto: "as the reader has it", light: "light", dark: "dark" };

  const open = async () => {
    const { t, speed, selected } = switchyardEmbed.page.look();
    const link = switchyardEmbed.page.link();
    const value = (key) => decodeURIComponent(new RegExp(`(?:^|&)${key}=([^&]*)`).exec(link)?.[1] ?? "");
    const set = { view: value("view") || "yard", t: Math.round(t), speed, highlight: selected ?? "", theme: value("theme") || "auto", caption: "", controls: true, autoplay: false, poster: "" };
    const isOwn = /(^|&)(file|experiment)=/.test(link);
    const isSample = !isOwn && !value("url");
    // Links and files name them by their hash.
    const weights = /^[0-9a-f]{16}$/.test(value("weights")) ? "Your own weights are in neither a snippet nor this file: lay theirs (.safetensors) beside it, for readers to drop on the page." : "";
    let trace = null;
    let kind = "element";

    const dialog = made("dialog", { id: "embed-dialog", className: "embed-dialog" });
    dialog.setAttribute("aria-labelledby", "embed-title");
    const field = (label, control) => made("label", {}, made("span", {}, label), control);
    const change = () => {
      write();
      clearTimeout(timer);
      timer = setTimeout(show, 400);
    };
    let timer = 0;
    const text = (key, type = "text") => {
      const input = made("input", { type, value: set[key], min: type === "number" ? 0 : "" });
      if (type === "number") input.step = "any";
      input.oninput = () => {
        set[key] = type === "number" ? Math.max(0, Number(input.value) || 0) : input.value;
        change();
      };
      return input;
    };
    const choice = (key, options) => {
      const select = made("select", {}, ...options.map(([name, title]) => made("option", { value: name, selected: name === set[key] }, title)));
      select.onchange = () => {
        set[key] = select.value;
        change();
      };
      return select;
    };
    const check = (key, label) => {
      const input = made("input", { type: "checkbox", checked: set[key] });
      input.onchange = () => {
        set[key] = input.checked;
        change();
      };
      return made("label", { className: "check" }, input, label);
    };
    const views = [...document.querySelectorAll("[role=tab]")].map((tab) => [tab.id.replace("tab-", ""), tab.textContent]);
    const kinds = [["element", "Element"], ["frame", "Plain frame"]].map(([name, title]) => {
      const button = made("button", { type: "button" }, title);
      button.onclick = () => {
        kind = name;
        write();
      };
      return [name, button];
    });
    const code = made("textarea", { readOnly: true, rows: 5, spellcheck: false });
    code.setAttribute("aria-label", "The snippet");
    code.onfocus = () => code.select();
    const sizes = made("p", { className: "hint" });
    const needs = made("p", { className: "hint" });
    const status = made("span", {});
    status.setAttribute("role", "status");
    const room = made("div", { className: "preview" });
    const preview = isSingleFile ? null : made("iframe", { title: "Preview" });
    room.append(preview ?? made("p", { className: "hint" }, "From a single file there is no preview: a snippet needs the page on a server."));

    const traceWords = () => {
      if (isSample) return "its trace is a sample, which every page has";
      if (trace && trace.length > MOST_LETTERS) return `its trace takes ${size(trace.length)}, too much for a link: put its file on a server that lets other pages read it (CORS) and open it by address, or save all as one file`;
      if (isOwn) return trace ? `of which its trace takes ${size(trace.length)}` : "looking how large its trace is…";
      return `its trace is fetched from ${new URL(value("url")).host}, which has to let other pages read it (CORS)`;
    };
    const NEEDS = {
      element: "What it loads needs no CORS header: any server does, python -m http.server too.",
      frame: sandbox
        ? "It runs without an origin. From a server that sends no CORS header, as python -m http.server, it shows switchyard.html, which lies beside index.html."
        : "Any server does, python -m http.server too.",
    };
    const isHere = /^(localhost|127\..*|\[::1\])$/.test(location.hostname);
    const reach = isHere ? ` ${location.host} is this computer, which readers do not reach: put dist/ on a server, and its address into the snippet.` : "";
    const within = () => (isOwn && trace && trace.length <= MOST_LETTERS ? trace : null);
    const write = () => {
      code.value = (kind === "element" ? asElement : asFrame)(within(), set);
      for (const [name, button] of kinds) button.setAttribute("aria-pressed", String(name === kind));
      sizes.textContent = `The snippet takes ${size(code.value.length)}; ${traceWords()}.`;
      needs.textContent = `${NEEDS[kind]}${reach}`;
      status.textContent = "";
    };
    const show = () => {
      if (preview && dialog.open && (!isOwn || within())) preview.src = frameAddress(page(), within(), set);
    };

    const button = (title, act, className = "") => {
      const control = made("button", { type: "button", className }, title);
      control.onclick = async () => {
        try {
          await act();
        } catch (error) {
          status.textContent = `That failed: ${switchyardWords(error)}.`;
        }
      };
      return control;
    };
    const copy = button("Copy snippet", async () => {
      const copied = await navigator.clipboard?.writeText(code.value).then(() => true, () => false);
      status.textContent = copied ? "Copied." : "This browser does not let the page copy: copy it from the field.";
    }, "primary");
    const file = (value("file") || value("sample") || "lab").replace(/\.[a-z]+$/i, "").replace(/[^\p{L}\p{N}._-]/gu, "-");
    const saved = (ending, blob) => {
      set.poster = `${file}.${ending}`;
      save(blob, set.poster);
      write();
      status.textContent = `Saved as ${set.poster}, ${size(blob.size)}: the element shows it before its frame, and readers without scripts and on paper see it.`;
    };
    const drawing = button("Save a poster (SVG)", async () => {
      const text = await switchyardDrawn(document.querySelector(".view"), () => switchyardEmbed.page.speed(switchyardEmbed.page.look().speed));
      saved("svg", new Blob([text], { type: "image/svg+xml" }));
    });
    const poster = button("as PNG", async () => {
      const canvases = [...document.querySelectorAll(".view canvas")].sort((a, b) => b.width * b.height - a.width * a.height);
      if (!canvases[0]?.width) throw new Error("this view has no picture");
      saved("png", await new Promise((resolve) => canvases[0].toBlob(resolve)));
    });
    const single = button("Save as one file", async () => {
      status.textContent = "Writing the file…";
      const own = isSample ? null : (trace ?? (await packed()));
      const blob = await wholeFile(own, set);
      save(blob, `${file}-switchyard.html`);
      status.textContent = `Saved, ${size(blob.size)}, ${own ? `of which ${size(own.length)} are the trace` : "with a sample"}: it opens from a disk, at this view and moment.`;
    });
    single.disabled = !isSingleFile && !singleFile;
    if (single.disabled) single.title = "Only the published page has its single file beside it";
    const close = button("Close", () => dialog.close());

    dialog.append(
      made("h2", { id: "embed-title" }, "This view in an article"),
      made("div", { className: "fields" },
        field("View", choice("view", views)),
        field("Moment, s", text("t", "number")),
        field("Speed", text("speed", "number")),
        field("Highlighted job", text("highlight")),
        field("Theme", choice("theme", Object.entries(TITLES))),
        field("Caption", text("caption")),
        check("controls", "With the player"),
        check("autoplay", "Plays by itself")),
      room,
      made("div", { className: "row" }, ...kinds.map(([, of]) => of)),
      code,
      sizes,
      needs,
      made("div", { className: "row" }, copy, drawing, poster, close),
      made("h2", {}, "All in one file"),
      made("p", { className: "hint" }, "The page with the trace and these settings inside, which opens from a disk: to attach to a paper's artefact."),
      weights && made("p", { className: "hint weights" }, weights),
      made("div", { className: "row" }, single, status),
    );
    dialog.onclose = () => dialog.remove();
    // Keys are for the fields, not for the views behind.
    dialog.onkeydown = (event) => event.stopPropagation();
    document.body.append(dialog);
    dialog.showModal();
    write();
    if (isOwn) {
      trace = await packed();
      write();
    }
    show();
  };

  return { open };
})();
