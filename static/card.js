// Pictures that people send on, from Share: a card of the moment (twice as wide as high: what it is, two figures, the view,
// the address), and the same as a film of ten seconds. They are put together from what the page has painted.
(() => {
  const [WIDE, HIGH] = [1200, 600];
  const EDGE = 32;
  const FRAMES = 30;
  const FILM_MS = 10_000;
  /** In the order in which they are wanted. */
  const FILMS = [["video/webm;codecs=vp9", "webm"], ["video/webm", "webm"], ["video/mp4", "mp4"]];
  const FONT = "system-ui, sans-serif";

  const page = () => switchyardEmbed.page;
  const text = (selector) => document.querySelector(selector)?.textContent.trim() ?? "";

  /** The colours of the page as it is. */
  const colours = () => {
    const of = (selector, what = "color") => getComputedStyle(document.querySelector(selector))[what];
    return { ground: of("header", "backgroundColor"), words: of("body"), faint: of("header .facts"), line: of("header", "borderBottomColor") };
  };

  /** The mean JCTs of two runs: the shortest and the longest, each with its scheduler. */
  const figures = () => {
    const told = page().cards().filter(({ jct_mean, left }) => jct_mean !== null && !left).sort((a, b) => a.jct_mean - b.jct_mean);
    const two = told.length > 1 ? [told[0], told.at(-1)] : told;
    return two.map(({ name, jct_mean }) => [page().inWords("jct_mean", jct_mean), `mean JCT, ${name}`]);
  };

  /** The canvases of the view that are seen, and the box around them with what stands in their titles. */
  const painted = () => {
    const within = ({ left, top, right, bottom }, of) => right > of.left && left < of.right && bottom > of.top && top < of.bottom;
    const view = document.querySelector(".view").getBoundingClientRect();
    const canvases = [...document.querySelectorAll(".view canvas")].filter((of) => of.width && of.clientWidth && within(of.getBoundingClientRect(), view));
    const titles = canvases.map((of) => of.parentElement.querySelector("h2")).filter((of) => of?.querySelector(".spec"));
    const boxes = [...canvases, ...titles].map((of) => of.getBoundingClientRect());
    const [left, top] = [Math.min(...boxes.map((of) => of.left)), Math.min(...boxes.map((of) => of.top))];
    const [right, bottom] = [Math.max(...boxes.map((of) => of.right)), Math.max(...boxes.map((of) => of.bottom))];
    return { canvases, titles, left, top, width: right - left, height: bottom - top };
  };

  /** Draws what is shown. `told`: title and figures, which do not change while it plays. */
  const draw = (pen, { title, about, told, address, paint }) => {
    const words = (said, x, y, size, colour, { bold, align = "left", most } = {}) => {
      [pen.font, pen.fillStyle, pen.textAlign] = [`${bold ? "600 " : ""}${size}px ${FONT}`, colour, align];
      pen.fillText(said, x, y, most);
    };
    pen.fillStyle = paint.ground;
    pen.fillRect(0, 0, WIDE, HIGH);
    words(title, EDGE, 58, 34, paint.words, { bold: true, most: 560 });
    words(about, EDGE, 88, 18, paint.faint, { most: 560 });
    told.forEach(([figure, of], at) => {
      const right = WIDE - EDGE - (told.length - 1 - at) * 290;
      words(figure, right, 58, 34, paint.words, { bold: true, align: "right", most: 270 });
      words(of, right, 88, 16, paint.faint, { align: "right", most: 270 });
    });
    const { canvases, titles, left, top, width, height } = painted();
    const room = { x: EDGE, y: 112, width: WIDE - 2 * EDGE, height: HIGH - 112 - 52 };
    if (canvases.length) {
      const scale = Math.min(room.width / width, room.height / height);
      const x = room.x + (room.width - scale * width) / 2;
      pen.save();
      pen.beginPath();
      pen.rect(room.x, room.y, room.width, room.height);
      pen.clip();
      pen.translate(x, room.y);
      pen.scale(scale, scale);
      pen.translate(-left, -top);
      for (const canvas of canvases) {
        const box = canvas.getBoundingClientRect();
        pen.drawImage(canvas, box.left, box.top, box.width, box.height);
      }
      for (const of of titles) {
        const spec = of.querySelector(".spec");
        const box = spec.getBoundingClientRect();
        words(spec.textContent.trim(), box.left, box.top + 0.75 * box.height, 14, paint.words, { bold: true });
      }
      pen.restore();
    }
    words(address, EDGE, HIGH - 20, 16, paint.faint, { most: 800 });
    words(text("[data-testid=clock]"), WIDE - EDGE, HIGH - 20, 16, paint.faint, { align: "right" });
  };

  /** What does not change while it plays. */
  const setting = () => {
    const facts = [...document.querySelectorAll("header .facts span")].map((of) => of.textContent);
    const here = location.protocol.startsWith("http") ? `${location.host}${location.pathname.replace(/index\.html$/, "")}` : "Switchyard";
    return { title: text("header .facts strong"), about: facts.join(" · "), told: figures(), address: here, paint: colours() };
  };

  const sheet = () => {
    const canvas = Object.assign(document.createElement("canvas"), { width: WIDE, height: HIGH });
    // Letters of a film are as sharp as they can be where nothing shines through.
    return [canvas, canvas.getContext("2d", { alpha: false })];
  };

  const card = async () => {
    const [canvas, pen] = sheet();
    draw(pen, setting());
    const blob = await new Promise((resolve) => canvas.toBlob(resolve));
    if (!blob) throw new Error("this browser makes no image of it");
    return blob;
  };

  /** Ten seconds of the view, as it plays. `tell` hears how many are left. */
  const film = async (tell) => {
    const kind = FILMS.find(([type]) => globalThis.MediaRecorder?.isTypeSupported(type));
    if (!kind) throw new Error("this browser records no film");
    const [canvas, pen] = sheet();
    const what = setting();
    const { playing } = page().look();
    const recorder = new MediaRecorder(canvas.captureStream(FRAMES), { mimeType: kind[0], videoBitsPerSecond: 6e6 });
    const pieces = [];
    recorder.ondataavailable = ({ data }) => pieces.push(data);
    const over = new Promise((resolve, reject) => {
      recorder.onstop = resolve;
      recorder.onerror = ({ error }) => reject(error ?? new Error("the film broke off"));
    });
    draw(pen, what);
    recorder.start(1_000);
    page().play();
    const begin = performance.now();
    const frame = () => {
      draw(pen, what);
      const left = FILM_MS - (performance.now() - begin);
      tell(Math.max(0, Math.ceil(left / 1000)));
      if (left > 0) requestAnimationFrame(frame);
      else recorder.stop();
    };
    requestAnimationFrame(frame);
    await over;
    if (!playing) page().pause();
    return [new Blob(pieces, { type: kind[0] }), kind[1]];
  };

  const save = (blob, name) => {
    switchyardSaving.save(blob, name);
    return `Saved as ${name}, ${switchyardSaving.size(blob.size)}.`;
  };

  const name = (ending) => {
    const view = document.querySelector("[role=tab][aria-selected=true]")?.id.replace(/^tab-/, "") ?? "view";
    const trace = text("header .facts strong").toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "");
    return `${trace || "switchyard"}-${view}.${ending}`;
  };

  const ACTS = {
    save: async () => save(await card(), name("png")),
    copy: async () => {
      if (!globalThis.ClipboardItem || !navigator.clipboard?.write) throw new Error("this browser copies no images: save it");
      await navigator.clipboard.write([new ClipboardItem({ "image/png": card() })]);
      return "Copied.";
    },
    film: async (tell) => {
      const [blob, ending] = await film((left) => tell(`Filming: ${left} s left.`));
      return save(blob, name(ending));
    },
  };

  document.addEventListener("click", async ({ target }) => {
    const button = target.closest?.("[data-card]");
    if (!button) return;
    const said = button.parentElement.querySelector("[role=status]");
    const tell = (words) => said.textContent !== words && (said.textContent = words);
    button.disabled = true;
    try {
      tell(await ACTS[button.dataset.card](tell));
    } catch (error) {
      tell(`That failed: ${switchyardWords(error)}.`);
    }
    button.disabled = false;
  });
})();
