// Whether what is drawn is drawn for the box that it stands in, and shows something: canvases, and
// drawings (SVG).

/**
 * What is wrong with the canvases and drawings that are seen now, one line each; and how many they are.
 * Runs in the page.
 */
function look() {
  const problems = [];
  const isSeen = (element) => element.checkVisibility({ visibilityProperty: true });
  const name = (element) => (element.getAttribute("aria-label") ?? element.getAttribute("class") ?? "").slice(0, 60);

  const canvases = [...document.querySelectorAll("canvas")].filter(isSeen);
  for (const canvas of canvases) {
    const { clientWidth, clientHeight, width, height } = canvas;
    const what = `canvas “${name(canvas)}”`;
    if (clientWidth < 20 || clientHeight < 20) {
      problems.push(`${what} is ${clientWidth} × ${clientHeight}`);
      continue;
    }
    const wanted = [clientWidth, clientHeight].map((side) => side * devicePixelRatio);
    if (Math.abs(width - wanted[0]) > 1 || Math.abs(height - wanted[1]) > 1) {
      problems.push(`${what} is drawn for ${width} × ${height} and not for ${wanted.join(" × ")}`);
      continue;
    }
    const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
    const pixels = new Uint32Array(data.buffer);
    let other = 0;
    for (const pixel of pixels) other += pixel !== pixels[0];
    if (other < 50) problems.push(`${what} is blank`);
  }

  const drawings = [...document.querySelectorAll(".chart-frame > svg, figure svg[role=img]")].filter(isSeen);
  for (const svg of drawings) {
    const box = svg.getBoundingClientRect();
    const { width, height } = svg.viewBox.baseVal;
    const what = `drawing “${name(svg)}”`;
    if (box.width < 20 || box.height < 20) {
      problems.push(`${what} is ${box.width} × ${box.height}`);
      continue;
    }
    // A chart is drawn anew for its box; others keep their proportions.
    const isChart = svg.parentElement.matches(".chart-frame");
    // Areas without lines and words may be stretched.
    const isArea = svg.getAttribute("preserveAspectRatio") === "none";
    const stretched = isArea ? 0 : isChart ? Math.max(Math.abs(width - box.width), Math.abs(height - box.height)) : 100 * Math.abs((width / height) / (box.width / box.height) - 1);
    if (stretched > 2) problems.push(`${what} is drawn for ${width} × ${height} in a box of ${box.width} × ${box.height}`);
    // Its lines and marks, and not what is behind them.
    const marks = [...svg.querySelectorAll("polyline[stroke-width], circle, path, rect, line, text")];
    const bounds = marks.filter((mark) => mark !== svg.firstElementChild).map((mark) => mark.getBoundingClientRect());
    const top = Math.min(...bounds.map((one) => one.top));
    const bottom = Math.max(...bounds.map((one) => one.bottom));
    const [least, high] = isArea ? [1, 1] : [3, box.height / 2];
    if (marks.length < least || bottom - top < high) problems.push(`${what} is flat: from ${top} to ${bottom} in a box ${box.height} high`);
  }
  return { count: canvases.length + drawings.length, problems };
}

/** What is drawn wrongly, once the page has come to rest; what cannot come right is said after a while. */
export async function drawnWrongly(page, patience = 10_000) {
  const until = Date.now() + patience;
  for (;;) {
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    const found = await page.evaluate(look);
    if (found.problems.length === 0 || Date.now() > until) return found;
    await page.waitForTimeout(200);
  }
}
