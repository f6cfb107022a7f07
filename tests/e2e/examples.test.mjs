// Every example in a README or in docs/ is tried as it stands there, or `TRIED` says why it cannot be: the types of
// JavaScript by `tsc --strict`, JavaScript and HTML in the browser, shell commands, scripts and files by the command line
// tool. Experiments of papers are asked for their `--help` alone.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { inflateRawSync } from "node:zlib";
import { browser, dist, emptyFolder, screenshot } from "./browser.mjs";
import { serve } from "./server.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const built = join(dist, "module");
const cli = process.env.SWITCHYARD_CLI;
const skip = !cli && "no SWITCHYARD_CLI";
const { open } = browser();

// ---- what there is ----

/** Folders in which nobody writes Markdown of ours. */
const NOT_OURS = /^(\.|node_modules$|target$|dist$|out$)/;

function* documents(folder = "") {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const name = join(folder, entry.name);
    if (entry.isDirectory() && !NOT_OURS.test(entry.name)) yield* documents(name);
    else if (entry.name.endsWith(".md")) yield name;
  }
}

/** The blocks of code of a document: what kind they say they are, and where they stand. */
function blocks(document) {
  const text = readFileSync(join(root, document), "utf8");
  return [...text.matchAll(/^```(\w*)[^\n]*\n([\s\S]*?)^```$/gm)].map(({ 1: kind, 2: code, index }) => ({ kind, code, line: text.slice(0, index).split("\n").length }));
}

const of = (document, kind) => blocks(document).filter((block) => block.kind === kind).map(({ code }) => code);

/** Who tries the blocks of a kind: below, or a test elsewhere; or why nobody can here. */
const TRIED = {
  "ARCHITECTURE.md": { "": "drawings" },
  "README.md": { "": "what builds and tests is what runs this" },
  "docs/capacity.md": { "": "below" },
  "docs/challenges.md": { sh: "below", python: "python/tests" },
  "docs/command-line.md": { "": "below", js: "below" },
  "module/README.md": { js: "below" },
  "python/README.md": { python: "python/tests" },
  "bench/results/README.md": { sh: "needs a GPU" },
  "fuzz/README.md": { "": "needs cargo-fuzz" },
  "docs/embedding.md": { html: "below", js: "below" },
  "docs/failures.md": { "": "below" },
  "docs/format.md": { "": "below", json: "below" },
  "docs/hosting.md": { "": "a header: host.test.mjs", http: "host.test.mjs", html: "host.test.mjs" },
  "docs/plugins.md": { "": "below, and tests/tests/plugins.rs builds them" },
  "docs/python.md": { python: "python/tests" },
  "docs/queues.md": { text: "below" },
  "docs/scripts.md": { rust: "below", sh: "below" },
  "docs/whole-wait.md": { "": "below" },
  "docs/sweeps.md": { "": "below, and the benchmark's own tests", python: "python/tests", toml: "below" },
};
const OF_LESSONS = ["view", "guess", "moments", "claim", "control", "slider", "goal", "rust", "sh"];

test("every example in a document is tried by a test", () => {
  const all = [...documents()];
  assert.ok(all.includes("README.md") && all.includes("docs/embedding.md"));
  const nobody = all.flatMap((document) => {
    const isLesson = /^docs\/(lessons|article)\//.test(document);
    const isTried = ({ kind }) => (isLesson ? OF_LESSONS.includes(kind) : TRIED[document]?.[kind]);
    return blocks(document).filter((block) => !isTried(block)).map(({ kind, line }) => `${document}:${line} (${kind || "no kind"})`);
  });
  assert.deepEqual(nobody, []);
});

// ---- links ----

/** The names by which links reach the headings of a document, as GitHub makes them. */
const headings = (document) =>
  [...readFileSync(join(root, document), "utf8").matchAll(/^#+ (.*)$/gm)].map(([, text]) => text.toLowerCase().replace(/[^\p{L}\p{N}\-_ ]/gu, "").replaceAll(" ", "-"));

/** The links of a document that lead nowhere: to no file, or to no heading of a document. */
function dead(document, text = readFileSync(join(root, document), "utf8")) {
  const links = [...text.replace(/^```[\s\S]*?^```$/gm, "").matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link);
  return links.filter((link) => {
    if (/^[a-z]+:/.test(link)) return false;
    const [path, heading] = link.replace(/\?[^#]*/, "").split("#");
    // Pages are built from documents.
    if (path.endsWith(".html")) return false;
    const target = path ? join(dirname(document), path) : document;
    return !existsSync(join(root, target)) || (heading && target.endsWith(".md") && !headings(target).includes(heading));
  });
}

test("every link in a document leads somewhere", () => {
  assert.deepEqual([...documents()].flatMap((document) => dead(document).map((link) => `${document}: ${link}`)), []);
  const text = "[a](docs/gone.md), [b](docs/format.md#gone), [c](docs/format.md#cores), [d](https://example.org)";
  assert.deepEqual(dead("README.md", text), ["docs/gone.md", "docs/format.md#gone"]);
});

test("every file that ARCHITECTURE names exists", () => {
  const names = readFileSync(join(root, "ARCHITECTURE.md"), "utf8").match(/`[\w.-]+\/[\w./-]*`/g).map((name) => name.slice(1, -1));
  assert.ok(names.length > 30);
  assert.deepEqual(names.filter((name) => !existsSync(join(root, name))), []);
});

// ---- JavaScript ----

/** A document's examples as one program: what the first has made the others use. */
function program(document) {
  const [first, ...others] = of(document, "js");
  return [first, ...others.map((code) => `{\n${code}}`)].join("\n");
}

/** The folder of the packages that the page's bundles are made of: one is what the module's README draws with. */
const bundled = join(root, "web/explorer/node_modules");

const PROGRAMS = ["docs/command-line.md", "module/README.md", "docs/embedding.md"];

test("the types of every example in JavaScript are right", (t) => {
  const folder = emptyFolder(t);
  cpSync(built, join(folder, "node_modules/switchyard-gpu"), { recursive: true });
  symlinkSync(join(bundled, "@observablehq"), join(folder, "node_modules/@observablehq"));
  // The first document imports the file beside it.
  cpSync(built, folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  const files = PROGRAMS.map((document) => `${document.replace(/\W/g, "-")}.ts`);
  PROGRAMS.forEach((document, at) => writeFileSync(join(folder, files[at]), `${program(document)}\nexport {};\n`));
  // Of what others declare, nothing is checked.
  const options = { strict: true, skipLibCheck: true, noEmit: true, module: "nodenext", target: "es2022", lib: ["es2022", "dom", "dom.iterable"], types: [] };
  const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");
  const check = () => {
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: options, files }));
    return spawnSync(process.execPath, [tsc, "--pretty", "false"], { cwd: folder, encoding: "utf8" });
  };
  const { status, stdout } = check();
  assert.equal(status, 0, stdout);
  // A name that there is not is found.
  writeFileSync(join(folder, files[1]), program("module/README.md").replace("fifo.columns.jct_s", "fifo.columns.jct"));
  assert.match(check().stdout, /Property 'jct' does not exist/);
});

/** A plug-in that tests have: its module. */
function moduleOf(name) {
  const spec = readFileSync(join(root, "tests/golden/plugins.txt"), "utf8").match(new RegExp(`^${name} \\S*code=([\\w-]+)`, "m"))[1];
  return inflateRawSync(Buffer.from(spec, "base64url"));
}

const JOBS = ["job,submit,duration,gpus", ...Array.from({ length: 60 }, (_, at) => `${at},${at * 120},${600 + ((at * 977) % 7) * 1800},${1 << at % 4}`)].join("\n") + "\n";

/** Runs a document's examples on a page that has what they ask for beside it. */
async function runs(t, document) {
  const folder = emptyFolder(t);
  cpSync(built, folder, { recursive: true });
  writeFileSync(join(folder, "jobs.csv"), JOBS);
  writeFileSync(join(folder, "las.wasm"), moduleOf("las"));
  const plot = join(bundled, "@observablehq/plot/src/index.js");
  execFileSync(join(bundled, ".bin/esbuild"), [plot, "--bundle", "--format=esm", "--log-level=error", `--outfile=${join(folder, "plot.js")}`]);
  const code = program(document).replaceAll("https://example.org/", "./");
  writeFileSync(join(folder, "example.js"), `${code}\ndocument.title = "It ran";\n`);
  const imports = JSON.stringify({ imports: { "switchyard-gpu": "./switchyard.js", "@observablehq/plot": "./plot.js" } });
  writeFileSync(join(folder, "index.html"), `<!doctype html><meta charset="utf-8"><title>Examples</title><link rel="icon" href="data:,"><script type="importmap">${imports}</script><progress></progress><button>End</button><script type="module" src="example.js"></script>`);
  const server = await serve(folder, "/examples/");
  t.after(() => server.close());
  const said = [];
  const page = await open(t, server.url, { before: (page) => page.on("console", (message) => said.push(message.text())), viewport: { width: 940, height: 400 } });
  await page.waitForFunction(() => document.title === "It ran", null, { timeout: 120_000 });
  return { page, said };
}

test("the example beside the command line runs", async (t) => {
  const { said } = await runs(t, "docs/command-line.md");
  assert.match(said.at(-1), /^[\d.]+ Float64Array/);
});

test("the module's examples run: figures, columns, a Gantt chart, own schedulers, functions, progress", async (t) => {
  const { page, said } = await runs(t, "module/README.md");
  for (const [at, policy] of ["fifo ", "tiresias-las[", "srtf "].entries()) assert.ok(said[at].startsWith(policy), said[at]);
  assert.equal(await page.locator("progress").evaluate((bar) => bar.value), 1);
  assert.ok(said.some((line) => /^true plan\(view\) \{/.test(line)), said.join("\n"));
  // Of the chart: every job has bars, on 32 rows, and no two of a row are over one another.
  const bars = await page.locator("svg rect").evaluateAll((bars) => bars.map((bar) => [...["x", "y", "width"].map((name) => Number(bar.getAttribute(name))), bar.textContent]));
  assert.equal(new Set(bars.map(([, , , job]) => job)).size, 60);
  assert.equal(new Set(bars.map(([, y]) => y)).size, 32);
  for (const row of new Set(bars.map(([, y]) => y))) {
    const own = bars.filter(([, y]) => y === row).sort(([a], [b]) => a - b);
    own.slice(1).forEach(([x], at) => assert.ok(x >= own[at][0] + own[at][2] - 1e-6, `row ${row}`));
  }
  await screenshot(page, "gantt");
});

test("the article's examples run: the element, the frame, and a message to it", async (t) => {
  const html = of("docs/embedding.md", "html");
  const [message] = of("docs/embedding.md", "js");
  const there = await serve(dist, "/switchyard/");
  t.after(() => there.close());
  const moved = (text) => text.replaceAll("https://example.org/switchyard/", there.url).replaceAll("https://example.org", new URL(there.url).origin);
  const content = `<!doctype html><html lang="en"><meta charset="utf-8"><title>An article</title><link rel="icon" href="data:,">${moved(html.join("\n"))}</html>`;
  const article = await serve(dist, "/articles/", { pages: { "article.html": content, "poster.png": "…" } });
  t.after(() => article.close());
  const before = (page) => page.addInitScript(() => {
    globalThis.heard = [];
    addEventListener("message", ({ data, source }) => source === document.getElementsByTagName("iframe")[0]?.contentWindow && heard.push(data));
    addEventListener("done", ({ detail }) => (globalThis.done = detail), true);
  });
  const page = await open(t, `${article.url}article.html`, { before, tolerated: /foreign request/ });
  await page.waitForFunction(() => globalThis.done && heard.some(({ event }) => event === "ready"), null, { timeout: 120_000 });
  assert.deepEqual(await page.evaluate(() => done.runs.map(({ policy }) => policy)), ["fifo", "srtf"]);
  await page.evaluate(moved(message));
  await page.waitForFunction(() => heard.some(({ id, result }) => id === 1 && result === null) && heard.some(({ event, detail }) => event === "time" && detail.t >= 3600));
});

// ---- the command line ----

/** A folder that has what commands of documents name. */
function workplace(t) {
  const folder = emptyFolder(t);
  symlinkSync(cli, join(folder, "switchyard"));
  for (const name of ["trace.csv", "itp.csv", "a.csv", "b.csv", "workload-1.csv"]) writeFileSync(join(folder, name), JOBS);
  writeFileSync(join(folder, "TRACE"), `#switchyard 1\n#cluster 16x4\n${JOBS}`);
  for (const name of ["las", "srtf"]) writeFileSync(join(folder, `${name}.wasm`), moduleOf(name));
  return folder;
}

/** Runs a command; the shell is the one that a reader has. */
function shell(folder, command) {
  const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` };
  const { status, stdout, stderr } = spawnSync("bash", ["-c", command], { cwd: folder, env, encoding: "utf8", maxBuffer: 1 << 28 });
  assert.equal(status, 0, `${command}\n${stderr}`);
  return stdout;
}

/** The commands of a text, without what is said behind them. */
const commands = (text) => text.replace(/\\\n\s*/g, "").replace(/\s+# .*$/gm, "").split("\n").filter((line) => line.trim());

test("the guide's commands run, or say how they are used", { skip }, (t) => {
  const folder = workplace(t);
  const all = of("docs/command-line.md", "").flatMap(commands).filter((line) => line.includes("-p switchyard-gpu --"));
  assert.ok(all.length > 10);
  for (const line of all) {
    const command = line.replace("cargo run --release -p switchyard-gpu --", "switchyard").replace("NAME", "17");
    // Experiments of papers take data that is not here, or long; a page is served until somebody ends that.
    const takesLong = / (open|paper) | --profiles /.test(command);
    shell(folder, takesLong ? `${command.replace("…", "")} --help` : command);
  }
});

test("the commands that the package's README lists run", { skip }, (t) => {
  const folder = workplace(t);
  const table = readFileSync(join(root, "cli/README.md"), "utf8").match(/^\| `switchyard .*$/gm).map((row) => row.split(" | ")[0]);
  const all = table.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, command]) => command));
  assert.ok(all.length >= 8);
  mkdirSync(join(folder, "FOLDER"));
  // A page is served until somebody ends that.
  for (const command of all) shell(folder, command.startsWith("switchyard open ") ? `${command} --help` : command.replace("NAME", "17"));
});

test("the script of the guide runs, is explained and scored", { skip }, (t) => {
  const folder = workplace(t);
  writeFileSync(join(folder, "las.rhai"), of("docs/scripts.md", "rust")[0]);
  const [compared, why, score] = of("docs/scripts.md", "sh").flatMap(commands).map((command) => shell(folder, command));
  assert.match(compared, /las/);
  assert.match(why, /attained, GPU·s/);
  assert.match(score, /^score [\d.]+, 95 % interval /m);
});

test("each exercise of the sheet is solved by what teachers have, and not by what solves the one before", { skip }, (t) => {
  const folder = workplace(t);
  const sheet = readFileSync(join(root, "docs/lessons/exercises.md"), "utf8").split(/^## /m);
  const goals = sheet.map((exercise) => [...exercise.matchAll(/`(\w+)` at least (\d+)/g)].map(([, name, least]) => [name, Number(least)])).filter(({ length }) => length);
  const [first] = of("docs/lessons/exercises.md", "rust");
  const solutions = [first, ...of("docs/lessons/teachers.md", "rust")];
  assert.equal(goals.length, 4);
  assert.equal(solutions.length, goals.length + 1);
  const [command] = of("docs/lessons/exercises.md", "sh").flatMap(commands);
  assert.deepEqual(of("docs/lessons/teachers.md", "sh").flatMap(commands), [command]);
  for (const draw of [7, 1, 2, 3]) {
    const scores = solutions.map((text) => {
      writeFileSync(join(folder, "mine.rhai"), text);
      const { challenges } = JSON.parse(shell(folder, `${command.replace("7", draw)} --json -`));
      return new Map(challenges.map(({ name, score }) => [name, score]));
    });
    goals.forEach((goal, at) => {
      const reached = (of) => goal.every(([name, least]) => of.get(name) >= least);
      assert.ok(reached(scores[at + 1]), `draw ${draw}: exercise ${at + 2} is not solved`);
      assert.ok(!reached(scores[at]), `draw ${draw}: exercise ${at + 2} is solved by the one before`);
    });
  }
});

test("challenges are scored, an entry of the board is printed, and schedulers are bred", { skip }, (t) => {
  const folder = workplace(t);
  writeFileSync(join(folder, "las.rhai"), of("docs/scripts.md", "rust")[0]);
  cpSync(join(root, "examples/challenges/evolve.py"), join(folder, "evolve.py"));
  const [scored, one, entry, bred] = of("docs/challenges.md", "sh").flatMap(commands);
  assert.match(shell(folder, scored), /^score [\d.]+, 95 % interval /m);
  const { workloads, challenges } = JSON.parse(shell(folder, one));
  assert.deepEqual([workloads, challenges.map(({ name }) => name)], [20, ["convoy"]]);
  shell(folder, entry);
  const [{ by, claims }] = JSON.parse(readFileSync(join(folder, "entry.json"), "utf8"));
  assert.deepEqual([by, claims.map(({ challenge }) => challenge)], ["Ada", ["convoy"]]);
  // A generation or two, which need not be better than Tiresias.
  const few = bred.replace("--minutes 10", "--minutes 0.05 --size 8");
  assert.notEqual(few, bred);
  assert.match(shell(folder, `${few} || test $? = 1`), /^best\.rhai: [\d.]+ on tides \(95 %: [\d.]+ to [\d.]+\); Tiresias: 100$/m);
  shell(folder, "switchyard score best.rhai --challenge tides");
});

test("the plug-ins of the guide run", { skip }, (t) => {
  const folder = workplace(t);
  const all = of("docs/plugins.md", "").flatMap(commands).filter((line) => line.startsWith("switchyard "));
  assert.equal(all.length, 3);
  for (const command of all) shell(folder, command);
});

test("the commands of the guide to failures run", { skip }, (t) => {
  const folder = workplace(t);
  const [loop] = of("docs/failures.md", "");
  const run = /switchyard run [^|]*/.exec(loop.replace(/\\\n\s*/g, ""))[0].replace("$interval", "8310");
  const { failures } = JSON.parse(shell(folder, run)).runs[0];
  // What the loop adds up.
  assert.ok(failures.lost_gpu_hours + failures.checkpoint_gpu_hours > 0);
});

test("the files of the guide to formats are read", { skip }, (t) => {
  const folder = workplace(t);
  writeFileSync(join(folder, "example.csv"), of("docs/format.md", "")[0]);
  const { cluster, runs } = JSON.parse(shell(folder, "switchyard run example.csv --json -"));
  assert.deepEqual([cluster.spec, ...runs.map(({ policy, seed }) => `${policy} ${seed}`)], ["8x8+4x4", "fifo 7", "tiresias-las[queues=2,thresholds=3600] 7"]);
  const [tree] = of("docs/format.md", "json");
  const told = execFileSync(cli, ["run", "sample:lab", "--cluster", tree.replace(/\n\s*/, ""), "--policy", "fifo", "--json", "-"], { encoding: "utf8" });
  assert.equal(JSON.parse(told).cluster.gpus, 24);
});

test("the tree of the guide to queues is one, and a run borrows by it", { skip }, (t) => {
  const folder = workplace(t);
  writeFileSync(join(folder, "tree.txt"), of("docs/queues.md", "text")[0]);
  const jobs = JOBS.split("\n").filter(Boolean).map((line, at) => (at ? `${line},${at % 3 ? "vision" : "speech"}` : `${line},account`));
  writeFileSync(join(folder, "teams.csv"), `${jobs.join("\n")}\n`);
  const command = "switchyard run teams.csv --cluster 4x4 --policy kueue --queues tree.txt --queue-by account --by queue --json -";
  const { queues } = JSON.parse(shell(folder, command)).runs[0].by_queue;
  assert.deepEqual(queues.map(({ name, quota, jobs }) => [name, quota, jobs]), [["lab", 16, 60], ["vision", 8, 40], ["speech", 8, 20], ["others", 0, 0]]);
  assert.ok(queues[1].borrowed_gpu_hours > 0);
});

test("the commands of the guide to capacity find how many nodes it takes", { skip }, (t) => {
  const folder = workplace(t);
  const all = of("docs/capacity.md", "").flatMap(commands);
  assert.equal(all.length, 3);
  const [one, several] = all.map((command) => shell(folder, command));
  assert.match(one, /^fifo: \d+ nodes? for p95 queueing delay of at most 60 min: it is .*\nnodes /);
  for (const { nodes, points } of JSON.parse(several)) {
    const holds = (count) => points.find((point) => point.nodes === count)?.holds;
    assert.ok(holds(nodes) && !holds(nodes - 1));
  }
});

test("the commands of the guide to where the time went add up", { skip }, (t) => {
  const folder = workplace(t);
  const [job, all, by] = of("docs/whole-wait.md", "").flatMap(commands).map((command) => command.replace("NAME", "17"));
  assert.match(shell(folder, job), /^fifo: 17 was there for .*\n(  .*\n)+las: 17 was there/);
  shell(folder, all);
  for (const { groups } of JSON.parse(readFileSync(join(folder, "lives.json"), "utf8"))) {
    const shares = groups[0].parts.map(({ share }) => share);
    assert.ok(Math.abs(shares.reduce((sum, share) => sum + share) - 1) < 1e-9);
  }
  assert.match(readFileSync(join(folder, "lives.csv"), "utf8"), /^policy,group,jobs,spent,law,gpu_hours,share\n/);
  assert.match(shell(folder, by), /^user: /);
});

test("the sweep of the guide runs", { skip }, (t) => {
  const folder = workplace(t);
  // All of it is ten thousand runs.
  const [grid] = of("docs/sweeps.md", "toml").map((text) => text.replace('"1..20/20"', "[1]").replace('"0.5..1.5/11"', "[1]"));
  writeFileSync(join(folder, "grid.toml"), grid);
  const [sweep] = of("docs/sweeps.md", "").flatMap(commands).filter((line) => line.startsWith("switchyard "));
  shell(folder, sweep);
  assert.ok(existsSync(join(folder, "results")));
});
