// The charts, by Observable Plot: a panel each, in one scale. Every mark that stands for runs can be reached by
// keyboard: one run is a link to it, several are a button that lists them.

import * as Plot from "@observablehq/plot";
import { significant } from "./metrics.js";

const SVG = "http://www.w3.org/2000/svg";
const DASHES = [null, "7 4", "2 3"];

/** The hue and dashes of the series of this number (static/styles/explorer.css). */
export const look = (at) => ({ stroke: `var(--run-${at % 8})`, strokeDasharray: DASHES[Math.floor(at / 8) % DASHES.length] ?? undefined });

/** As many as there is room for, of values that are ticks. */
const thinned = (values, most) => {
  const step = Math.ceil(values.length / Math.max(1, most));
  return values.filter((_, at) => at % step === 0);
};

const CHARACTER = 6.6;
const LINE = 13;
/** Pixels: a point of a front, and where its text stands. */
const [DOT, BESIDE, ABOVE] = [5.5, 8, 7];
const cut = (text, most) => (text.length > most ? `${text.slice(0, Math.max(1, most - 1))}…` : text);

/** Makes marks of a group reachable: `of(at)` says what the mark of the datum of that number is. */
const reachable = (of) => ({
  render(index, scales, values, dimensions, context, next) {
    const group = next(index, scales, values, dimensions, context);
    [...group.children].forEach((mark, nth) => {
      const { href, words, press } = of(index[nth]);
      const holder = document.createElementNS(SVG, "a");
      if (href) holder.setAttribute("href", href);
      else {
        holder.setAttribute("tabindex", "0");
        holder.setAttribute("role", "button");
        holder.addEventListener("click", press);
        holder.addEventListener("keydown", (event) => {
          if (event.key !== "Enter" && event.key !== " ") return;
          event.preventDefault();
          press();
        });
      }
      holder.setAttribute("aria-label", words);
      const title = document.createElementNS(SVG, "title");
      title.textContent = words;
      mark.replaceWith(holder);
      mark.append(title);
      holder.append(mark);
    });
    return group;
  },
});

/** What Plot draws, without the style element that the page's security policy forbids (the sheet has the same). */
const drawn = (options, words) => {
  const svg = Plot.plot({ ...options, style: { background: "none" } });
  const root = svg.tagName === "svg" ? svg : svg.querySelector("svg");
  root.querySelectorAll("style").forEach((style) => style.remove());
  // Plot names groups that have no role.
  root.querySelectorAll("g[aria-label]").forEach((group) => group.removeAttribute("aria-label"));
  root.setAttribute("role", "group");
  root.setAttribute("aria-label", words);
  return root;
};

/** An axis of numbers that begins at 0, unless they span decades or lie close together. */
const scaleOf = (values, isLog) => {
  const known = values.filter(Number.isFinite);
  const [least, most] = [Math.min(...known), Math.max(...known)];
  if (!known.length) return { domain: [0, 1] };
  if (isLog && least > 0) return { type: "log", domain: [least / 1.1, most * 1.1] };
  const from = least >= 0 && least < 0.7 * most ? 0 : least - (most - least || Math.abs(most) || 1) * 0.08;
  return { domain: [from, most + (most - from || 1) * 0.04], nice: true };
};

/** Whether values span so much that the least could not be told apart from 0. */
export const spansDecades = (values) => {
  const known = values.filter(Number.isFinite);
  return known.length > 2 && Math.min(...known) > 0 && Math.max(...known) > 40 * Math.min(...known);
};

// Of decades the axis names some. Left to itself it writes 100m for a tenth.
const formatted = (isLog) => (isLog ? "," : significant);

/**
 * Lines with intervals over `x`. `panel.points`: `{ x, series, mean, low, high, isHollow, of }`, numbers in the unit of
 * `y`; `x` is a number, or a text of `x.values`. Hollow: some of its runs leave jobs behind. `answer`: a text for a point
 * that is what a search has found; `y.bound`: what it searched for, or null.
 */
export const lines = (panel, { x, y, series, width, isLog, all }) => {
  const height = Math.round(Math.min(340, Math.max(220, width * 0.62)));
  const names = x.values.map(x.label);
  const room = Math.floor((width - 70) / Math.max(1, names.length) / CHARACTER);
  const isSlanted = !x.isNumeric && names.some((name) => name.length > room);
  const marks = [Plot.gridY({ ticks: 5, stroke: "var(--line)", strokeOpacity: 1 })];
  if (y.relative) marks.push(Plot.ruleY([1], { stroke: "var(--faint)", strokeDasharray: "3 3" }));
  if (y.bound !== null) marks.push(Plot.ruleY([y.bound], { stroke: "var(--text)", strokeDasharray: "6 4" }));
  for (const at of series) {
    const points = panel.points.filter((point) => point.series === at && Number.isFinite(point.mean));
    const style = look(panel.hue(at));
    const banded = points.filter(({ low }) => Number.isFinite(low));
    const below = y.floor;
    const low = (point) => Math.max(point.low, below);
    if (x.isNumeric) {
      marks.push(
        Plot.areaY(banded, { x: "x", y1: low, y2: "high", fill: style.stroke, fillOpacity: 0.16 }),
        Plot.line(points, { x: "x", y: "mean", ...style, strokeWidth: 1.8 }),
      );
    } else marks.push(Plot.ruleX(banded, { x: "x", y1: low, y2: "high", stroke: style.stroke, strokeWidth: 2 }));
    marks.push(
      Plot.dot(points, { x: "x", y: "mean", fill: (of) => (of.isHollow ? "var(--surface)" : style.stroke), r: 3.6, stroke: (of) => (of.isHollow ? style.stroke : "var(--surface)"), strokeWidth: (of) => (of.isHollow ? 1.8 : 1), sort: null, ...reachable((nth) => points[nth].of) }),
    );
  }
  const found = panel.points.filter((point) => point.answer && series.includes(point.series) && Number.isFinite(point.mean));
  const above = { x: "x", y: "mean", text: "answer", dy: -14, fill: "var(--text)", stroke: "var(--surface)", strokeWidth: 4, fontWeight: 600, pointerEvents: "none", ariaHidden: true };
  marks.push(Plot.dot(found, { x: "x", y: "mean", r: 8, stroke: "var(--text)", strokeWidth: 1.6, pointerEvents: "none", ariaHidden: true }), Plot.text(found, above));
  return drawn(
    {
      width,
      height: isSlanted ? height + 40 : height,
      marginLeft: 54,
      marginRight: 14,
      marginBottom: isSlanted ? 80 : 36,
      x: x.isNumeric
        ? { type: "linear", label: x.title, labelArrow: "none", ticks: thinned(x.values, width / 46), tickFormat: significant, inset: 6 }
        : { type: "point", domain: x.values, label: x.title, labelArrow: "none", tickFormat: (value) => cut(x.label(value), isSlanted ? 18 : room), tickRotate: isSlanted ? -35 : 0, padding: 0.5 },
      y: { ...scaleOf(all, isLog), label: y.title, labelArrow: "none", tickFormat: formatted(isLog), ticks: 5 },
      marks,
    },
    `${y.title} over ${x.title}${panel.title && `, ${panel.title}`}`,
  );
};

/** Dark ink on light colours, and light on dark. */
const inkOn = (colour) => {
  const [r, g, b] = colour.startsWith("#")
    ? [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16))
    : colour.match(/[\d.]+/g).map(Number);
  const light = [r, g, b].map((channel) => (channel / 255) ** 2.2);
  return 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2] > 0.2 ? "#000" : "#fff";
};

/** The colours of a heat map: even steps from least to most; beside a baseline, apart from 1 to both sides. */
export const heatOf = (values, y) => {
  const known = values.filter(Number.isFinite);
  const [least, most] = known.length ? [Math.min(...known), Math.max(...known)] : [0, 1];
  if (!y.relative) {
    const domain = least < most ? [least, most] : [least - 0.5, most + 0.5];
    const isLog = spansDecades(values);
    // Viridis is even to the eye, and to those who see fewer colours; the worse, the darker is no rule it has.
    return { type: isLog ? "log" : "linear", scheme: "viridis", domain, label: y.title };
  }
  const far = Math.max(1.02, most, 1 / Math.max(least, 1e-9));
  return { type: "diverging-log", scheme: y.better < 0 ? "BuRd" : "RdBu", pivot: 1, domain: [1 / far, far], label: y.title };
};

/** A heat map: `x` across, `series` as rows. */
export const heat = (panel, { x, y, rows, width, colour }) => {
  const longest = Math.max(...rows.values.map((value) => rows.label(value).length));
  const letters = Math.min(longest, Math.floor((width * 0.34) / CHARACTER));
  const marginLeft = Math.max(40, Math.round(letters * CHARACTER) + 14);
  const points = panel.points.filter(({ mean }) => Number.isFinite(mean));
  const cell = (width - marginLeft - 10) / Math.max(1, x.values.length);
  const tall = Math.min(34, Math.max(18, cell));
  const scale = Plot.scale({ color: colour });
  const said = (point) => significant(point.mean);
  const fits = points.every((point) => said(point).length * CHARACTER < cell - 2);
  const names = x.values.map(x.label);
  const room = Math.floor(cell / CHARACTER);
  const isSlanted = !x.isNumeric && names.some((name) => name.length > room);
  const shown = x.isNumeric ? thinned(x.values, (width - marginLeft) / 40) : x.values;
  return drawn(
    {
      width,
      height: rows.values.length * tall + 30 + (isSlanted ? 80 : 40),
      marginLeft,
      marginRight: 10,
      marginTop: 24,
      marginBottom: isSlanted ? 80 : 40,
      color: colour,
      x: { type: "band", domain: x.values, label: x.title, labelArrow: "none", ticks: shown, tickFormat: (value) => (x.isNumeric ? significant(value) : cut(x.label(value), isSlanted ? 18 : room)), tickRotate: isSlanted ? -35 : 0, tickSize: 0, padding: 0.04 },
      y: { type: "band", domain: rows.values, label: rows.title, labelArrow: "none", tickFormat: (value) => cut(rows.label(value), letters), tickSize: 0, padding: 0.04 },
      marks: [
        Plot.cell(points, { x: "x", y: "row", fill: "mean", fillOpacity: (of) => (of.isHollow ? 0 : 1), stroke: "mean", strokeOpacity: (of) => (of.isHollow ? 1 : 0), strokeWidth: 2, inset: 1, sort: null, ...reachable((nth) => points[nth].of) }),
        fits ? Plot.text(points, { x: "x", y: "row", text: said, fill: (of) => (of.isHollow ? "var(--text)" : inkOn(scale.apply(of.mean))), pointerEvents: "none", ariaHidden: true }) : null,
      ],
    },
    `${y.title} by ${x.title} and ${rows.title}${panel.title && `, ${panel.title}`}`,
  );
};

/** What the colours of a heat map mean. */
export const ramp = (colour, width) => {
  const [least, most] = colour.domain;
  // Beside a baseline: halves and doubles, or less where everything is close to it.
  const apart = most > 4 ? [1 / most, 0.5, 1, 2, most] : [least, 1, most];
  const legend = Plot.legend({ color: colour, width: Math.min(280, width), height: 42, tickFormat: (value) => significant(value), ticks: colour.pivot ? apart : 4 });
  legend.querySelectorAll("style").forEach((style) => style.remove());
  legend.style.background = "none";
  legend.setAttribute("role", "img");
  legend.setAttribute("aria-label", `Colours: ${colour.label}`);
  return legend;
};

/** Moves the texts of points up or down, in pixels, until none covers another's text or dot. */
const apart = (texts) => (data, facets, { x: X, y: Y }, { x, y }) => {
  // In coordinates of texts, which stand beside their dots.
  const placed = texts.map((_, at) => {
    const left = x(X.value[at]) - BESIDE - DOT;
    return { left, right: left + 2 * DOT, top: y(Y.value[at]) + ABOVE };
  });
  const moved = texts.map((text, at) => {
    const left = x(X.value[at]);
    const own = y(Y.value[at]);
    const isFree = (top) => !placed.some((other) => Math.abs(other.top - top) < LINE && left < other.right && other.left < left + text.length * CHARACTER);
    let [top, turn] = [own, 0];
    while (!isFree(top)) {
      turn += 1;
      top = own + (turn % 2 ? 1 : -1) * Math.ceil(turn / 2) * LINE;
    }
    placed.push({ left, right: left + text.length * CHARACTER, top });
    return top;
  });
  return { data, facets, channels: { y: { value: moved } } };
};

/** Two metrics beside one another, and the front of what nothing beats in both. */
export const pareto = (panel, { x, y, width, isLogX, isLogY, allX, allY }) => {
  const points = panel.points.filter(({ mean, other }) => Number.isFinite(mean) && Number.isFinite(other));
  const best = points.filter(({ isFront }) => isFront).sort((a, b) => a.mean - b.mean);
  const most = Math.floor((width * 0.3) / CHARACTER);
  const few = points.length <= 14;
  const nameOf = (of) => cut(of.name, most);
  const style = (point) => look(panel.hue(point.series)).stroke;
  return drawn(
    {
      width,
      height: Math.round(Math.min(420, Math.max(240, width * 0.7))),
      marginLeft: 54,
      marginRight: few ? Math.min(90, width * 0.16) : 16,
      marginBottom: 36,
      r: { type: "identity" },
      x: { ...scaleOf(allX, isLogX), label: x.title, labelArrow: "none", tickFormat: formatted(isLogX), ticks: Math.max(3, width / 110) },
      y: { ...scaleOf(allY, isLogY), label: y.title, labelArrow: "none", tickFormat: formatted(isLogY), ticks: 5 },
      marks: [
        Plot.gridX({ stroke: "var(--line)", strokeOpacity: 1 }),
        Plot.gridY({ ticks: 5, stroke: "var(--line)", strokeOpacity: 1 }),
        Plot.line(best, { x: "mean", y: "other", stroke: "var(--text)", strokeWidth: 1.4, strokeDasharray: "4 3" }),
        Plot.ruleY(points.filter(({ low }) => Number.isFinite(low)), { y: "other", x1: (of) => Math.max(of.low, x.floor), x2: "high", stroke: style, strokeOpacity: (of) => (of.isFront ? 0.8 : 0.3) }),
        Plot.ruleX(points.filter(({ otherLow }) => Number.isFinite(otherLow)), { x: "mean", y1: (of) => Math.max(of.otherLow, y.floor), y2: "otherHigh", stroke: style, strokeOpacity: (of) => (of.isFront ? 0.8 : 0.3) }),
        Plot.dot(points, { x: "mean", y: "other", fill: (of) => (of.isFront ? style(of) : "var(--surface)"), r: (of) => (of.isFront ? DOT : 4), stroke: (of) => (of.isFront ? "var(--surface)" : style(of)), sort: null, ...reachable((nth) => points[nth].of) }),
        few ? Plot.text(points, Plot.initializer({ x: "mean", y: "other", text: nameOf, dx: BESIDE, dy: -ABOVE, textAnchor: "start", fill: "var(--text)", fillOpacity: (of) => (of.isFront ? 1 : 0.75), pointerEvents: "none", ariaHidden: true }, apart(points.map(nameOf)))) : null,
      ],
    },
    `${y.title} beside ${x.title}, and the front of what nothing beats in both${panel.title && `, ${panel.title}`}`,
  );
};

const RESOLVED = ["fill", "stroke", "fill-opacity", "stroke-opacity", "stroke-width", "stroke-dasharray", "font-family", "font-size", "font-weight", "text-anchor"];

/** A drawing as a file's text: colours as they are shown, and nothing to press. */
export const fileOf = (svg) => {
  const copy = svg.cloneNode(true);
  const [from, to] = [svg, copy].map((root) => [root, ...root.querySelectorAll("*")]);
  from.forEach((element, at) => {
    const style = getComputedStyle(element);
    for (const name of RESOLVED) to[at].setAttribute(name, style.getPropertyValue(name));
  });
  copy.querySelectorAll("a").forEach((link) => link.replaceWith(...link.children));
  copy.setAttribute("xmlns", SVG);
  const ground = document.createElementNS(SVG, "rect");
  for (const name of ["width", "height"]) ground.setAttribute(name, "100%");
  ground.setAttribute("fill", resolved(svg, "var(--surface)"));
  copy.prepend(ground);
  return new XMLSerializer().serializeToString(copy);
};

/** A colour of the style sheet as it is now. */
const resolved = (beside, colour) => {
  const probe = document.createElement("i");
  probe.style.color = colour;
  beside.parentElement.append(probe);
  const value = getComputedStyle(probe).color;
  probe.remove();
  return value;
};
