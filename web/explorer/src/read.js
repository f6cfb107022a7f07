// From a file to a table: results.parquet and results.csv of `switchyard sweep`, and what the page saves, have
// the same columns (docs/sweeps.md). In: files; out: columns by name, or an error that says what, where, and
// what to do. What pandas, polars or DuckDB have written from such a table is read too.

import { decompress } from "fzstd";
import { parquetMetadataAsync, parquetRead, parquetSchema } from "hyparquet";
import Papa from "papaparse";
import RUST from "../../../core/app/for_scripts.json" with { type: "json" };
import { METRICS, columnsOf } from "./metrics.js";

const { version: VERSION, version_key: VERSION_KEY, texts, numbers } = RUST.sweep;

/** Without these nothing can be told apart. */
const REQUIRED = ["trace", "cluster", "scheduler", "policy", "load", "seed"];
/** What runs are known by is for whoever runs them. */
const TEXTS = texts.filter((column) => !["key", "log_hash"].includes(column));
const NUMBERS = [...numbers, "jobs", ...METRICS.map(({ key }) => key)];
const WANTED = [...TEXTS, ...NUMBERS];

/** More runs are drawn from, so that charts stay quick. */
export const MOST_RUNS = 200_000;
/** A browser's longest text is not much longer. */
const MOST_BYTES_OF_CSV = 256e6;
/** So much of a text is read before the page does something else. */
const LETTERS_AT_ONCE = 2e6;

const fail = (words) => {
  throw new Error(words);
};
const many = (number) => number.toLocaleString("en");

/** Whether a row is drawn, where only so many of all can be shown: by its number, so that the same ones are. */
const isDrawn = (at, share) => {
  if (share >= 1) return true;
  // A step of splitmix: neighbours, which differ by their seeds alone, are drawn independently.
  let z = Math.imul(at + 0x9e3779b9, 0x85ebca6b);
  z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
  return ((z ^ (z >>> 16)) >>> 0) / 2 ** 32 < share;
};

const textOf = (value) => (value === null || value === undefined ? "" : String(value));
/** Cells that spreadsheets would run have an apostrophe before them (core/model/src/spreadsheet.rs). */
const unguarded = (cell) => (/^''*[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell);
const numberOf = (value) => {
  if (value === null || value === undefined || value === "") return NaN;
  return Number(value);
};

const refuseColumns = (name, columns) => {
  const missing = REQUIRED.filter((column) => !columns.includes(column));
  const there = columns.slice(0, 8).join(", ") + (columns.length > 8 ? ", …" : "");
  if (missing.length) {
    const [what, plural] = [missing.join(", "), missing.length > 1 ? "s" : ""];
    fail(
      `${name} is not the table of a sweep: it has no column${plural} ${what} (its columns: ${there || "none"}). Open results.parquet or results.csv of switchyard sweep; a job trace is opened by Open a trace.`,
    );
  }
  if (!METRICS.some(({ key }) => columns.includes(key))) {
    fail(`${name} has no number of its runs, such as jct_mean (its columns: ${there}). Keep those columns when you save it.`);
  }
};

const tableOf = (name, columns, all, notes) => {
  const count = columns.get("trace").length;
  if (!all) fail(`${name} has no runs: its header stands alone. Look whether the sweep has begun.`);
  if (count < all) {
    notes.push(`Of ${many(all)} runs, ${many(count)} are shown, drawn at random: that is as many as the page takes.`);
  }
  for (const column of ["settings", "failure", "error", "link", "trace_hash"]) {
    if (!columns.has(column)) columns.set(column, new Array(count).fill(""));
  }
  return { name, columns, count, all, notes };
};

const COMPRESSED = "save it with compression=\"snappy\" or \"zstd\", or as CSV";

const parquet = async (file, signal) => {
  const { name } = file;
  const cut = () =>
    fail(`${name} is cut off, or was never written to its end: a Parquet file ends with its own description, which is missing. Copy it again; the same switchyard sweep, run again, writes it anew and keeps the runs that are there.`);
  const buffer = { byteLength: file.size, slice: (from, to) => file.slice(from, to).arrayBuffer() };
  let metadata;
  try {
    metadata = await parquetMetadataAsync(buffer);
  } catch {
    cut();
  }
  const version = metadata.key_value_metadata?.find(({ key }) => key === VERSION_KEY)?.value;
  // Other programs do not keep it.
  if (version !== undefined && version !== VERSION) {
    fail(`${name} is a sweep's table of version ${version}, and this page reads version ${VERSION}: open it in a page of that version, or run switchyard sweep again.`);
  }
  const written = parquetSchema(metadata).children.map(({ element }) => element.name);
  const there = columnsOf(written);
  refuseColumns(name, there);
  const all = Number(metadata.num_rows);
  const share = MOST_RUNS / all;
  const columns = new Map();
  // One after the other: a column of a large table is as much as is to be held at once.
  for (const column of WANTED.filter((of) => there.includes(of))) {
    const take = TEXTS.includes(column) ? textOf : numberOf;
    const values = [];
    const onChunk = ({ columnData, rowStart }) => {
      signal?.throwIfAborted();
      for (let at = 0; at < columnData.length; at += 1) if (isDrawn(rowStart + at, share)) values.push(take(columnData[at]));
    };
    try {
      await parquetRead({ file: buffer, metadata, columns: [written[there.indexOf(column)]], onChunk, compressors: { ZSTD: (bytes) => decompress(bytes) } });
    } catch (error) {
      signal?.throwIfAborted();
      const [, codec] = /compression codec: (\w+)/.exec(error.message) ?? [];
      if (codec) fail(`${name} is compressed with ${codec}, which the page does not read: ${COMPRESSED}.`);
      fail(`${name} is damaged in its column ${column} (${error.message}): copy it again.`);
    }
    columns.set(column, values);
  }
  return tableOf(name, columns, all, []);
};

/** Hands on the rows of a text, a piece at a time, between which it may be given up. */
const eachRow = (text, take, signal) =>
  new Promise((resolve, reject) => {
    Papa.parse(text, {
      skipEmptyLines: true,
      // Whatever else is found are the columns of another table, and said below.
      delimitersToGuess: [",", ";", "\t"],
      chunkSize: LETTERS_AT_ONCE,
      chunk: ({ data }, parser) => {
        try {
          signal?.throwIfAborted();
          data.forEach(take);
        } catch (error) {
          reject(error);
          return parser.abort();
        }
        parser.pause();
        setTimeout(parser.resume);
      },
      complete: resolve,
    });
  });

const csv = async (file, signal) => {
  const { name, size } = file;
  if (size > MOST_BYTES_OF_CSV) {
    fail(`${name} has ${many(Math.round(size / 1e6))} MB, more than the page reads as CSV: open results.parquet, which lies beside it and is smaller.`);
  }
  const text = await file.text();
  if (!text.trim()) fail(`${name} is empty.`);
  let lines = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines += 1;
  const share = MOST_RUNS / Math.max(lines - 1, 1);
  let header = null;
  let rows = 0;
  let short = null;
  const taken = [];
  const columns = new Map();
  const take = (data) => {
    if (!header) {
      header = columnsOf(data.map((cell) => cell.trim()));
      refuseColumns(name, header);
      for (const column of WANTED) {
        const at = header.indexOf(column);
        if (at < 0) continue;
        const take = TEXTS.includes(column) ? unguarded : numberOf;
        columns.set(column, []);
        taken.push((row) => columns.get(column).push(take(row[at])));
      }
      return;
    }
    if (short) fail(`${name} is damaged: its line ${short.line} has ${short.cells} cells, and its header ${header.length}. Copy it again.`);
    rows += 1;
    if (data.length !== header.length) short = { line: rows + 1, cells: data.length };
    else if (isDrawn(rows, share)) for (const take of taken) take(data);
  };
  await eachRow(text, take, signal);
  const notes = [];
  if (short) {
    rows -= 1;
    notes.push(`${name} is cut off in its line ${short.line}, its last: what stands before is shown. Copy it again for the rest.`);
    if (!rows) fail(`${name} is cut off in its first run: copy it again.`);
  }
  return tableOf(name, columns, rows, notes);
};

const one = async (file, signal) => {
  signal?.throwIfAborted();
  if (!file.size) fail(`${file.name} is empty.`);
  let head;
  try {
    head = await file.slice(0, 4).text();
  } catch {
    fail(`${file.name} cannot be read; it may have been moved or changed: choose it again.`);
  }
  return head === "PAR1" ? parquet(file, signal) : csv(file, signal);
};

/** The table in a file; of several, theirs put together. A signal gives it up. */
export const read = async (files, signal) => {
  const tables = [];
  for (const file of files) tables.push(await one(file, signal));
  signal?.throwIfAborted();
  if (tables.length === 1) return tables[0];
  const columns = new Map();
  for (const column of WANTED) {
    if (!tables.some((table) => table.columns.has(column))) continue;
    columns.set(column, tables.flatMap((table) => table.columns.get(column) ?? new Array(table.count).fill(NaN)));
  }
  const sum = (of) => tables.reduce((sum, table) => sum + of(table), 0);
  return {
    name: tables.map(({ name }) => name).join(" + "),
    columns,
    count: sum(({ count }) => count),
    all: sum(({ all }) => all),
    notes: tables.flatMap(({ notes }) => notes),
  };
};
