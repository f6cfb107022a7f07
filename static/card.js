// Pictures that people send on, from Share: a card of the moment (twice as wide as high: what it is, two figures, the view,
// the address), and the same as a film of ten seconds. The view is laid out anew for it, as large as its letters are to be,
// and painted as it stands there: canvases, drawings, texts and boxes.
(() => {
  const [WIDE, HIGH] = [1200, 600];
  const EDGE = 32;
  const ROOM = { x: EDGE, y: 108, width: WIDE - 2 * EDGE, height: HIGH - 108 - 48 };
  /** Pixels of the picture for one of the page's: the page's smallest letters, 11 high, are 14 there. */
  const SCALE = 1.3;
  const LAID = { width: ROOM.width / SCALE, height: ROOM.height / SCALE };
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

  /** The mean JCTs of two runs, the shortest and the longest, each with its scheduler and its colour, in the order of the yards. */
  const figures = () => {
    const swatches = [...document.querySelectorAll(".cards .swatch")].map((of) => getComputedStyle(of).backgroundColor);
    const told = page().cards().map((run, at) => ({ ...run, at })).filter(({ jct_mean, left }) => jct_mean !== null && !left);
    const sorted = told.toSorted((a, b) => a.jct_mean - b.jct_mean);
    const two = sorted.length > 1 ? [sorted[0], sorted.at(-1)].sort((a, b) => a.at - b.at) : sorted;
    return two.map(({ name, jct_mean, at }) => ({ figure: page().inWords("jct_mean", jct_mean), of: `mean JCT, ${name}`, colour: swatches[at] }));
  };

  const view = () => document.querySelector(".view");
  const viewShown = () => document.querySelector("[role=tab][aria-selected=true]")?.id.replace(/^tab-/, "") ?? "view";

  const frames = async (count) => {
    for (let i = 0; i < count; i++) await new Promise((resolve) => requestAnimationFrame(resolve));
  };

  /** What can be scrolled around an element. */
  const scroller = (of) => {
    while (of && !(of.scrollHeight > of.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(of).overflowY))) of = of.parentElement;
    return of && view().contains(of) ? of : null;
  };

  /** The first of these more than half of which is in sight. */
  const inSight = (selector) => {
    const within = view().getBoundingClientRect();
    return [...view().querySelectorAll(selector)].find((of) => {
      const { top, bottom, width, height } = of.getBoundingClientRect();
      return width > 100 && height > 40 && Math.min(bottom, within.bottom) - Math.max(top, within.top) > Math.min(height, within.height) / 2;
    });
  };

  /** Has the yards shown for as long as `act` takes where the view has nothing but questions yet. */
  const withYards = async (act) => {
    const isBare = !inSight("canvas, svg, table");
    const shown = viewShown();
    if (isBare) page().show("yard");
    try {
      return await act();
    } finally {
      if (isBare) page().show(shown);
    }
  };

  /** What is topmost where something has been scrolled. */
  const topmost = (of) => {
    const { top } = of.getBoundingClientRect();
    return [...of.querySelectorAll("section, tr, li, p, h2, h3, figure, div")].find((each) => each.getBoundingClientRect().top >= top - 1 && each.clientHeight > 0);
  };

  /**
   * Has the page lay out its view as large as its letters are to be on the picture, for as long as `act` takes. `cover` is
   * seen in its place meanwhile.
   */
  const laidOut = async (cover, act) => {
    const of = view();
    const { left, top, width, height } = of.getBoundingClientRect();
    const scrolled = [...of.querySelectorAll("*")].filter(({ scrollTop }) => scrollTop > 0).map((each) => [each, each.scrollTop]);
    // With its titles.
    const chart = inSight("figure, .scatter, .painted")?.closest("figure, .scatter, section");
    const anchor = chart ?? scrolled.map(([each]) => topmost(each)).find(Boolean);
    const put = (what, styles) => {
      for (const [name, value] of Object.entries(styles)) what.style.setProperty(name, value);
    };
    const [wide, high] = [Math.max(width, LAID.width + 40), Math.max(height, LAID.height)];
    cover.className = "card-cover";
    put(cover, { left: `${left}px`, top: `${top}px`, width: `${wide}px`, height: `${high}px` });
    document.body.append(cover);
    put(of, { left: `${left}px`, top: `${top}px`, width: `${LAID.width}px`, height: `${LAID.height}px` });
    document.documentElement.dataset.laid = "";
    try {
      // The program sees the new size, paints, and its charts are made anew.
      await frames(4);
      // What is seen stands below the title's first letter, and reaches as far as the title's line does.
      const inset = insetOf(await drawings());
      put(of, { width: `${LAID.width + (2 * inset) / SCALE}px` });
      await frames(3);
      const within = anchor && scroller(anchor);
      if (within) within.scrollTop += anchor.getBoundingClientRect().top - within.getBoundingClientRect().top - 6;
      await frames(3);
      return await act(inset);
    } finally {
      delete document.documentElement.dataset.laid;
      for (const name of ["left", "top", "width", "height"]) of.style.removeProperty(name);
      for (const [each, at] of scrolled) each.scrollTop = at;
      if (scrolled.length === 0) for (const each of of.querySelectorAll("*")) if (each.scrollTop > 0) each.scrollTop = 0;
      await frames(2);
      cover.remove();
    }
  };

  // What is seen of the view, painted: what stands in it as text, its boxes, its canvases and its drawings.

  const DRAWN = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "opacity", "font-family", "font-size", "font-weight", "text-anchor", "dominant-baseline", "visibility"];

  const decoded = (svg) => {
    const image = new Image();
    image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
    return image.decode().then(() => image, () => null);
  };

  /** A drawing (SVG) as an image, with the styles that it has in the page. */
  const imageOf = (svg) => {
    const { width, height } = svg.getBoundingClientRect();
    const copy = svg.cloneNode(true);
    const copies = [copy, ...copy.querySelectorAll("*")];
    [svg, ...svg.querySelectorAll("*")].forEach((of, at) => {
      const style = getComputedStyle(of);
      for (const name of DRAWN) copies[at].setAttribute(name, style.getPropertyValue(name));
      copies[at].removeAttribute("style");
      if (style.display === "none") copies[at].setAttribute("display", "none");
    });
    for (const [name, value] of [["xmlns", "http://www.w3.org/2000/svg"], ["width", width], ["height", height]]) copy.setAttribute(name, value);
    return decoded(new XMLSerializer().serializeToString(copy));
  };

  const drawings = async () => {
    const within = view().getBoundingClientRect();
    const all = [...view().querySelectorAll("svg")].filter((of) => {
      const { left, top, right, bottom, width, height } = of.getBoundingClientRect();
      return width && height && left < within.right && right > within.left && top < within.bottom && bottom > within.top;
    });
    return new Map(await Promise.all(all.map(async (of) => [of, await imageOf(of)])));
  };

  /** Canvases as images, whose letters are as sharp on a picture that is larger than they are. */
  const canvases = async () => {
    const { page } = switchyardEmbed;
    const each = await switchyardDrawn.each(view(), () => page.speed(page.look().speed));
    return new Map(await Promise.all(each.map(async ([of, svg]) => [of, svg ? await decoded(svg) : null])));
  };

  const transparent = (colour) => colour === "transparent" || /^rgba\(.*, 0\)$/.test(colour);

  /** A text, word by word where each stands. */
  const paintText = (pen, node, style, within) => {
    const range = document.createRange();
    range.selectNodeContents(node);
    const whole = range.getBoundingClientRect();
    if (!whole.width || whole.bottom < within.top || whole.top > within.bottom) return;
    pen.font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    [pen.fillStyle, pen.textAlign, pen.textBaseline] = [style.color, "left", "alphabetic"];
    for (const { 0: word, index } of node.data.matchAll(/\S+/g)) {
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      const box = range.getClientRects()[0];
      if (!box?.width) continue;
      const said = style.textTransform === "uppercase" ? word.toUpperCase() : word;
      const { fontBoundingBoxAscent: above, fontBoundingBoxDescent: below } = pen.measureText(said);
      pen.fillText(said, box.left, box.top + (box.height - above - below) / 2 + above, box.width + 1);
    }
  };

  /** What stands in a field. */
  const field = (pen, of, box, style) => {
    const said = of.tagName === "SELECT" ? of.selectedOptions[0]?.text : /checkbox|radio|range/.test(of.type) ? "" : of.value || of.placeholder;
    pen.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    [pen.fillStyle, pen.textAlign, pen.textBaseline] = [style.color, "left", "middle"];
    pen.fillText(said ?? "", box.left + 8, box.top + box.height / 2, Math.max(1, box.width - 12));
    pen.textBaseline = "alphabetic";
  };

  const paint = (pen, of, within, images) => {
    if (!of.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return;
    const style = getComputedStyle(of);
    const box = of.getBoundingClientRect();
    const isBox = box.width > 0 && box.height > 0;
    const isCut = isBox && style.overflow !== "visible";
    if (isCut && (box.width <= 1 || box.bottom < within.top || box.top > within.bottom || box.right < within.left || box.left > within.right)) return;
    pen.save();
    if (isBox) {
      if (!transparent(style.backgroundColor)) {
        pen.fillStyle = style.backgroundColor;
        pen.beginPath();
        const round = style.borderTopLeftRadius;
        pen.roundRect(box.left, box.top, box.width, box.height, round.endsWith("%") ? (parseFloat(round) / 100) * box.width : parseFloat(round));
        pen.fill();
      }
      const side = (name, x, y, w, h) => {
        const colour = style[`border${name}Color`];
        if (style[`border${name}Style`] === "none" || transparent(colour)) return;
        pen.fillStyle = colour;
        pen.fillRect(x, y, w, h);
      };
      const [t, r, b, l] = ["Top", "Right", "Bottom", "Left"].map((name) => parseFloat(style[`border${name}Width`]));
      if (t) side("Top", box.left, box.top, box.width, t);
      if (b) side("Bottom", box.left, box.bottom - b, box.width, b);
      if (l) side("Left", box.left, box.top, l, box.height);
      if (r) side("Right", box.right - r, box.top, r, box.height);
    }
    if (isCut) {
      pen.beginPath();
      pen.rect(box.left, box.top, box.width, box.height);
      pen.clip();
    }
    if (of.tagName === "CANVAS") {
      if (of.width && of.height && isBox) pen.drawImage(images.get(of) ?? of, box.left, box.top, box.width, box.height);
    } else if (of.tagName.toLowerCase() === "svg") {
      const image = images.get(of);
      if (image) pen.drawImage(image, box.left, box.top, box.width, box.height);
    } else if (/^(INPUT|SELECT|TEXTAREA)$/.test(of.tagName)) {
      field(pen, of, box, style);
    } else {
      for (const child of of.childNodes) {
        if (child.nodeType === Node.TEXT_NODE) paintText(pen, child, style, within);
        else if (child.nodeType === Node.ELEMENT_NODE) paint(pen, child, within, images);
      }
    }
    pen.restore();
  };

  /** The view in its room of the picture. `inset`: how far what is seen is from the view's left edge. */
  const paintView = (pen, images, inset) => {
    const of = view();
    const within = of.getBoundingClientRect();
    pen.save();
    pen.beginPath();
    pen.rect(ROOM.x, ROOM.y, ROOM.width, ROOM.height);
    pen.clip();
    pen.translate(ROOM.x - inset, ROOM.y);
    pen.scale(SCALE, SCALE);
    pen.translate(-within.left, -within.top);
    paint(pen, of, within, images);
    pen.restore();
  };

  /** How far what is seen of the view is from its left edge, pixels of the picture: it stands below the title's first letter. */
  const insetOf = (images) => {
    const [canvas, pen] = sheet();
    pen.fillStyle = colours().ground;
    pen.fillRect(0, 0, WIDE, HIGH);
    paintView(pen, images, 0);
    const most = 40;
    const { data, width, height } = canvas.getContext("2d").getImageData(ROOM.x, ROOM.y, most, ROOM.height);
    const shade = (x, y) => data.slice(4 * (y * width + x), 4 * (y * width + x) + 3).join();
    for (let x = 0; x < width; x++) {
      // Lines from edge to edge are no beginning.
      let marks = 0;
      for (let y = 0; y < height; y++) if (shade(x, y) !== shade(0, y)) marks += 1;
      if (marks > 4) return x;
    }
    return 0;
  };

  /** Draws what is shown. `told`: title and figures, which do not change while it plays. */
  const draw = (pen, { title, about, told, address, paint: { ground, words: ink, faint } }, images, inset) => {
    const words = (said, x, y, size, colour, { bold, align = "left", most } = {}) => {
      [pen.font, pen.fillStyle, pen.textAlign] = [`${bold ? "600 " : ""}${size}px ${FONT}`, colour, align];
      pen.fillText(said, x, y, most);
    };
    pen.fillStyle = ground;
    pen.fillRect(0, 0, WIDE, HIGH);
    words(title, EDGE, 58, 34, ink, { bold: true, most: 540 });
    words(about, EDGE, 88, 18, faint, { most: 540 });
    told.forEach(({ figure, of, colour }, at) => {
      const right = WIDE - EDGE - (told.length - 1 - at) * 290;
      words(figure, right, 58, 34, ink, { bold: true, align: "right", most: 240 });
      words(of, right, 88, 16, faint, { align: "right", most: 240 });
      const wide = Math.min(240, pen.measureText(of).width);
      pen.fillStyle = colour ?? faint;
      pen.beginPath();
      pen.arc(right - wide - 14, 82, 7, 0, 2 * Math.PI);
      pen.fill();
    });
    paintView(pen, images, inset);
    words(address, EDGE, HIGH - 20, 16, faint, { most: 800 });
    words(text("[data-testid=clock]"), WIDE - EDGE, HIGH - 20, 16, faint, { align: "right" });
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
    await withYards(() => laidOut(canvas, async (inset) => draw(pen, setting(), new Map([...(await drawings()), ...(await canvases())]), inset)));
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
    const filmed = async (inset) => {
      let images = await drawings();
      draw(pen, what, images, inset);
      recorder.start(1_000);
      page().play();
      const begin = performance.now();
      let isDrawing = false;
      const frame = () => {
        draw(pen, what, images, inset);
        const left = FILM_MS - (performance.now() - begin);
        tell(Math.max(0, Math.ceil(left / 1000)));
        if (left <= 0) return recorder.stop();
        requestAnimationFrame(frame);
        // Drawings are seen once they are decoded, a few frames later.
        if (isDrawing) return;
        isDrawing = true;
        void drawings().then((newer) => {
          images = newer;
          isDrawing = false;
        });
      };
      requestAnimationFrame(frame);
      await over;
    };
    await withYards(() => laidOut(canvas, filmed));
    if (!playing) page().pause();
    return [new Blob(pieces, { type: kind[0] }), kind[1]];
  };

  const save = (blob, name) => {
    switchyardSaving.save(blob, name);
    return `Saved as ${name}, ${switchyardSaving.size(blob.size)}.`;
  };

  const name = (ending) => {
    const trace = text("header .facts strong").toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "");
    return `${trace || "switchyard"}-${viewShown()}.${ending}`;
  };

  const ACTS = {
    save: async () => {
      const as = name("png");
      return save(await card(), as);
    },
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
