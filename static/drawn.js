// A view's canvases as one drawing (SVG), for posters: what the page paints is noted by the calls of the
// canvases' contexts while it paints once, and written down with their titles. The program knows nothing
// of it. Only the calls that it makes are noted (web/src/draw/pen.rs, charts, images of dense timelines).
globalThis.switchyardDrawn = (() => {
  const short = (number) => String(Math.round(number * 10) / 10);
  const escaped = (text) => String(text).replace(/[&"<>]/g, (letter) => `&#${letter.charCodeAt(0)};`);

  /** Notes what is painted with a context from now on; gives a function that ends it and says what it was. */
  const noted = (context, id) => {
    const out = [];
    // How many groups are open, for each `save`.
    const open = [0];
    let path = "";
    let clips = 0;
    // Neighbouring rectangles of one colour are one path.
    let rects = null;
    const flush = () => {
      if (rects) out.push(`<path ${rects.paint} d="${rects.path}"/>`);
      rects = null;
    };
    const put = (text) => {
      flush();
      out.push(text);
    };
    const opaque = (name) => (context.globalAlpha < 1 ? ` ${name}-opacity="${context.globalAlpha}"` : "");
    const filled = () => `fill="${context.fillStyle}"${opaque("fill")}`;
    const stroked = () => `fill="none" stroke="${context.strokeStyle}" stroke-width="${short(context.lineWidth * scale())}"${opaque("stroke")}`;
    const scale = () => context.getTransform().a;
    const at = (x, y) => {
      const { x: a, y: b } = context.getTransform().transformPoint({ x, y });
      return `${short(a)} ${short(b)}`;
    };
    const box = (x, y, w, h) => `M${at(x, y)}h${short(w * scale())}v${short(h * scale())}h${short(-w * scale())}z`;

    const calls = {
      save: () => {
        // The last time counts.
        if (open.length === 1) [out.length, rects] = [0, null];
        open.push(0);
      },
      restore: () => put("</g>".repeat(open.length > 1 ? open.pop() : 0)),
      beginPath: () => (path = ""),
      closePath: () => (path += "z"),
      moveTo: (x, y) => (path += `M${at(x, y)}`),
      // A path that begins with a line begins at its end.
      lineTo: (x, y) => (path += `${path ? "L" : "M"}${at(x, y)}`),
      rect: (...of) => (path += box(...of)),
      arc: (x, y, r, from, to) => {
        const point = (angle) => at(x + r * Math.cos(angle), y + r * Math.sin(angle));
        const to_ = (angle) => `A${short(r * scale())} ${short(r * scale())} 0 0 1 ${point(angle)}`;
        const middle = (from + to) / 2;
        path += `${path ? "L" : "M"}${point(from)}${to_(middle)}${to_(to)}`;
      },
      fill: () => put(`<path ${filled()} d="${path}"/>`),
      stroke: () => put(`<path ${stroked()} d="${path}"/>`),
      strokeRect: (...of) => put(`<path ${stroked()} d="${box(...of)}"/>`),
      fillRect: (...of) => {
        const paint = filled();
        if (rects?.paint !== paint) flush();
        rects ??= { paint, path: "" };
        rects.path += box(...of);
      },
      clip: () => {
        clips += 1;
        put(`<clipPath id="${id}-${clips}"><path d="${path}"/></clipPath><g clip-path="url(#${id}-${clips})">`);
        open[open.length - 1] += 1;
      },
      fillText: (text, x, y) => {
        const [, size, family] = /([\d.]+)px (.*)/.exec(context.font) ?? [0, 12, "sans-serif"];
        const anchor = { center: "middle", right: "end", end: "end" }[context.textAlign];
        const [a, b] = at(x, y).split(" ");
        put(`<text x="${a}" y="${b}" font-size="${short(size * scale())}" font-family="${escaped(family)}"${anchor ? ` text-anchor="${anchor}"` : ""} ${filled()}>${escaped(text)}</text>`);
      },
      drawImage: (image, sx, sy, sw, sh, dx, dy, dw, dh) => {
        const part = Object.assign(document.createElement("canvas"), { width: Math.max(1, Math.ceil(sw)), height: Math.max(1, Math.ceil(sh)) });
        part.getContext("2d").drawImage(image, sx, sy, sw, sh, 0, 0, part.width, part.height);
        const [a, b] = at(dx, dy).split(" ");
        put(`<image x="${a}" y="${b}" width="${short(dw * scale())}" height="${short(dh * scale())}" preserveAspectRatio="none" image-rendering="pixelated" href="${part.toDataURL()}"/>`);
      },
    };
    for (const [name, note] of Object.entries(calls)) {
      const { [name]: act } = CanvasRenderingContext2D.prototype;
      context[name] = function (...of) {
        note(...of);
        return act.apply(this, of);
      };
    }
    return () => {
      for (const name of Object.keys(calls)) delete context[name];
      flush();
      while (open.length) out.push("</g>".repeat(open.pop()));
      return out.join("");
    };
  };

  const canvasesOf = (view) => [...view.querySelectorAll("canvas")].filter(({ width, clientWidth }) => width && clientWidth);

  /** What each of these canvases shows, as what stands in a drawing of its size; "" of one that is not painted anew. */
  const paintings = async (canvases, repaint) => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const ends = canvases.map((canvas, at) => noted(canvas.getContext("2d"), `clip${at}`));
    repaint();
    await frame();
    await frame();
    return ends.map((end) => end());
  };

  /** The drawing of what is in an element; `repaint` has all of it painted at the next frame. */
  const drawn = async (view, repaint) => {
    const canvases = canvasesOf(view);
    if (!canvases.length) throw new Error("this view has no picture");
    const painted = await paintings(canvases, repaint);
    const boxes = canvases.map((canvas) => canvas.getBoundingClientRect());
    // What stands in titles, piece by piece, where it stands.
    const words = [...view.querySelectorAll("h2")].flatMap((title) => {
      const walker = document.createTreeWalker(title, NodeFilter.SHOW_TEXT);
      const pieces = [];
      while (walker.nextNode()) pieces.push(walker.currentNode);
      return pieces.map((piece) => {
        const range = document.createRange();
        range.selectNode(piece);
        return { text: piece.data.trim(), box: range.getBoundingClientRect(), style: getComputedStyle(piece.parentElement) };
      });
    }).filter(({ text, box, style }) => text && box.height && style.visibility === "visible");
    const all = [...boxes, ...words.map(({ box }) => box)];
    const [left, top] = [Math.min(...all.map(({ left }) => left)), Math.min(...all.map(({ top }) => top))];
    const [right, bottom] = [Math.max(...all.map(({ right }) => right)), Math.max(...all.map(({ bottom }) => bottom))];
    // Canvases on whole pixels, as they are painted: edges would fall between two.
    const ratio = devicePixelRatio;
    const places = boxes.map(({ left: x, top: y }) => [Math.round(x - left), Math.round(y - top)]);
    const wide = Math.max(Math.ceil(right - left), ...canvases.map(({ width }, at) => places[at][0] + Math.ceil(width / ratio)));
    const high = Math.max(Math.ceil(bottom - top), ...canvases.map(({ height }, at) => places[at][1] + Math.ceil(height / ratio)));
    const head = words.map(({ text, box: { left: x, top: y, height }, style: { color, fontSize, fontWeight, fontFamily } }) =>
      `<text x="${short(x - left)}" y="${short(y - top + 0.76 * height)}" font-size="${parseFloat(fontSize)}" font-weight="${fontWeight}" font-family="${escaped(fontFamily)}" fill="${color}">${escaped(text)}</text>`);
    const grounds = [];
    for (let of = canvases[0]; of; of = of.parentElement) grounds.push(getComputedStyle(of).backgroundColor);
    const ground = grounds.find((colour) => colour !== "rgba(0, 0, 0, 0)") ?? "white";
    const parts = places.map(([x, y], at) => `<g transform="translate(${x} ${y}) scale(${(1 / ratio).toFixed(4)})">${painted[at]}</g>`);
    return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${wide} ${high}"><rect width="100%" height="100%" fill="${ground}"/>${head.join("")}${parts.join("")}</svg>\n`;
  };

  /** Each of its canvases with a drawing of its own. */
  drawn.each = async (view, repaint) => {
    const canvases = canvasesOf(view);
    const painted = await paintings(canvases, repaint);
    const whole = (said, { width, height }) => `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${said}</svg>`;
    return canvases.map((canvas, at) => [canvas, painted[at] && whole(painted[at], canvas)]);
  };
  return drawn;
})();
