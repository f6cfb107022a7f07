// From runs to cells: the runs that agree in what is shown, their mean, and how far it can be trusted. Runs that
// differ by their seed alone are draws of the same thing; a cell that mixes others has no interval.
//
// Sources: Student, "The probable error of a mean" (Biometrika 6, 1908); G. W. Hill, "Algorithm 396: Student's
// t-quantiles" (Communications of the ACM 13(10), 1970).

/** How far the mean of `n` draws is from the truth in 95 of 100 cases, in standard errors. */
export const student = (n) => {
  const p = 0.05;
  const free = n - 1;
  if (free === 1) return 1 / Math.tan((p * Math.PI) / 2);
  if (free === 2) return Math.sqrt(2 / (p * (2 - p)) - 2);
  const a = 1 / (free - 0.5);
  const b = 48 / (a * a);
  let c = (((20700 * a) / b - 98) * a - 16) * a + 96.36;
  const d = ((94.5 / (b + c) - 3) / b + 1) * Math.sqrt((a * Math.PI) / 2) * free;
  let y = (d * p) ** (2 / free);
  if (y > 0.05 + a) {
    // The normal quantile of 2.5 %.
    const x = -1.959963984540054;
    y = x * x;
    if (free < 5) c += 0.3 * (free - 4.5) * (x + 0.6);
    c = (((0.05 * d * x - 5) * x - 7) * x - 2) * x + b + c;
    y = (((((0.4 * y + 6.3) * y + 36) * y + 94.5) / c - y - 3) / b + 1) * x;
    y = a * y * y;
    y = y > 0.002 ? Math.expm1(y) : 0.5 * y * y + y;
  } else {
    y = ((1 / (((free + 6) / (free * y) - 0.089 * d - 0.822) * (free + 2) * 3) + 0.5 / (free + 4)) * y - 1) * ((free + 1) / (free + 2)) + 1 / y;
  }
  return Math.sqrt(free * y);
};

/** Mean, spread and the 95 % interval of the mean; the interval needs two draws. */
export const spread = (values) => {
  const n = values.length;
  if (!n) return { n, mean: NaN, low: NaN, high: NaN, least: NaN, most: NaN };
  let [mean, squares, least, most] = [0, 0, Infinity, -Infinity];
  // Welford's recurrence: no cancellation.
  values.forEach((value, at) => {
    const apart = value - mean;
    mean += apart / (at + 1);
    squares += apart * (value - mean);
    least = Math.min(least, value);
    most = Math.max(most, value);
  });
  const half = n > 1 ? student(n) * Math.sqrt(squares / (n - 1) / n) : NaN;
  return { n, mean, low: mean - half, high: mean + half, least, most };
};

const keyOf = (dimensions, row) => dimensions.map(({ at }) => at[row]).join(" ");

/**
 * Whether a run leaves jobs behind, unfinished or rejected: its means are then of fewer jobs than another's, so that
 * the two cannot be compared. A table without these columns is believed to have none.
 */
export const leaves = ({ columns }, row) => columns.get("finished")?.[row] < columns.get("jobs")?.[row];

/**
 * What each run is worth: its number, or that ÷ the number of the run of `baseline` (a value of `by`) that
 * agrees with it in all but its policy: jobs, cluster, load, settings and seed. NaN: it has none, or one of
 * both leaves jobs behind.
 */
export const worths = (table, dimensions, metric, relative) => {
  const numbers = table.columns.get(metric.key);
  if (!relative) return numbers;
  const paired = dimensions.filter(({ isPolicy, param }) => !isPolicy && !param);
  const base = new Map();
  for (let row = 0; row < table.count; row += 1) {
    if (relative.by.at[row] !== relative.value || !Number.isFinite(numbers[row]) || leaves(table, row)) continue;
    const key = keyOf(paired, row);
    const held = base.get(key) ?? { sum: 0, n: 0 };
    base.set(key, { sum: held.sum + numbers[row], n: held.n + 1 });
  }
  return Array.from({ length: table.count }, (_, row) => {
    const { sum, n } = base.get(keyOf(paired, row)) ?? { sum: NaN, n: 1 };
    return leaves(table, row) ? NaN : numbers[row] / (sum / n);
  });
};

/**
 * Cells by the dimensions that are shown (`by`, of which some may be null), in their order. `measures`: worths of
 * each metric. `mixes`: dimensions besides the seed that differ within a cell. Runs that have no value in one of
 * `by` are in no cell.
 */
export const cellsOf = (table, rows, by, measures, dimensions) => {
  const shown = by.filter(Boolean);
  const groups = new Map();
  for (const row of rows) {
    if (shown.some(({ at }) => at[row] < 0)) continue;
    const key = keyOf(shown, row);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(row);
  }
  const others = dimensions.filter((dimension) => dimension.key !== "seed" && !shown.includes(dimension));
  const cells = [...groups.values()].map((rows) => {
    const mixes = others.filter(({ at }) => rows.some((row) => at[row] !== at[rows[0]]));
    const stats = measures.map((worth) => {
      const known = spread(rows.map((row) => worth[row]).filter(Number.isFinite));
      return mixes.length ? { ...known, low: NaN, high: NaN } : known;
    });
    const failed = rows.filter((row) => table.columns.get("failure")[row]);
    const leaving = rows.filter((row) => leaves(table, row));
    return { places: by.map((dimension) => (dimension ? dimension.at[rows[0]] : 0)), rows, failed, leaving, mixes, stats };
  });
  return cells.sort((a, b) => a.places.reduce((order, place, at) => order || place - b.places[at], 0));
};

/** Which of these points no other one beats: in no number worse, in one better. `better`: −1 less, 1 more, 0 neither. */
export const front = (points, better) => {
  const beats = (a, b) =>
    a.every((value, at) => (value - b[at]) * better[at] >= 0) && a.some((value, at) => value !== b[at]);
  return points.map((point) => point.every(Number.isFinite) && !points.some((other) => other.every(Number.isFinite) && beats(other, point)));
};
