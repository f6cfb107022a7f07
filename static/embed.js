// What an embedded page and the article around it say to one another: `postMessage` with the window that
// the frame is in, and with no other. The article sends {switchyard: 1, id, method, params} and is answered
// {switchyard: 1, id, result} or {switchyard: 1, id, error}; of itself the page tells {switchyard: 1, event,
// detail}. docs/embedding.md is the whole of it; static/view.js is the element that speaks it.
//
// What comes from an article is data: a method by its name, texts and numbers within bounds. Settings go
// the way of every link, which the program reads; nothing becomes markup, and what is not understood is
// not answered. The program calls `connect` with a handle (web/src/bin/app/page.rs, web/src/ui/page.rs), by which it
// is asked and by which it tells what has changed: nobody here looks again and again.
//
// All requests go through `perform`, and all messages out through `post`. Once a reader has opened a file of
// their own, an article of another host may ask for what `PASSES` lists, and is always answered alike.

/**
 * Where the page is.
 * @typedef {object} PageState
 * @property {number} t The time shown, seconds since the trace's start.
 * @property {number} end The last moment any run has reached.
 * @property {boolean} playing
 * @property {number} speed Simulated seconds per real second.
 * @property {string | null} selected The chosen job's name.
 * @property {boolean} open Whether a trace is open, and no other is being opened.
 * @property {boolean} ready Whether there is something to see at the time shown.
 * @property {boolean} done Whether all runs are over.
 * @property {string} said What the page tells a person; "" for nothing.
 * @property {boolean} isFile Whether the jobs are a file's, which a reader has opened.
 * @property {number} revision Counts changes of results, names and hues.
 */

/**
 * A run at the time shown.
 * @typedef {object} RunFacts
 * @property {string} name
 * @property {string} policy
 * @property {number} waiting
 * @property {number} running
 * @property {number} finished
 * @property {"" | "coming" | "waiting" | "running" | "finished"} place Where the job is that was asked about.
 */

/**
 * A scheduler of the list.
 * @typedef {object} ListedRun
 * @property {number} id
 * @property {string} spec Its policy's text.
 * @property {string} name
 * @property {string} given What a person has named it; "" if nobody has.
 * @property {"idle" | "running" | "done" | "cancelled" | "failed"} status How far its run is.
 * @property {string} why Why its run has failed; "" if it has not.
 * @property {number | null} jct_mean The mean completion time, once the run is complete.
 * @property {number | null} jct_p95
 * @property {number | null} rho_mean The mean of finish-time fairness.
 * @property {string} left "149 of 240 finished" where the run leaves jobs behind, else "".
 * @property {number | null} restarts How often jobs have started again, once the run is complete.
 * @property {string} log_hash The fingerprint of its log; "" before it is complete.
 * @property {number} hue
 */

/**
 * The jobs whose completion times differ between two runs.
 * @typedef {object} ChangedJobs
 * @property {number} sooner How many are done sooner in the second.
 * @property {number} later How many are done later.
 * @property {number} compared How many have finished in both.
 * @property {ChangedJob[]} jobs Those that differ most, the largest difference first.
 */

/**
 * A job in two runs.
 * @typedef {object} ChangedJob
 * @property {string} name
 * @property {number} before Its completion time in the first, s.
 * @property {number} after In the second.
 */

/**
 * What a search for nodes bounds.
 * @typedef {object} Sought
 * @property {string} metric The metric's id.
 * @property {number} bound The bound, in its unit.
 * @property {{nodes: number, link: string}[]} found The runs that are its answers so far.
 */

/**
 * What has changed.
 * @typedef {"opening" | "setup" | "runs" | "view" | "selection" | "analyses" | "notices" | "time"} Changed
 */

globalThis.switchyardEmbed = (() => {
  const asked = new URLSearchParams(location.search);
  const isEmbedded = asked.has("embed") && parent !== self;

  /** The most letters of a message, and of a link in one; and of all else. */
  const MOST_LETTERS = 400_000;
  const MOST_OF_A_NAME = 1_000;
  /** The most values of a message, and how deep they may lie within one another. */
  const MOST_VALUES = 1_000;
  const MOST_DEPTH = 8;
  const MOST_WAITING = 64;
  const MOST_GOALS = 32;

  /** The program's handle, once it is there. */
  let page = null;
  let connected;
  const connection = new Promise((resolve) => (connected = resolve));
  /** Once the page is set up as its address says. */
  let begun;

  const listeners = new Set();
  /** Has a function called with what has changed (a list of `Changed`), each time after something has; gives what ends that. */
  const onChange = (listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const heard = (changes) => {
    for (const listener of listeners) {
      try {
        listener(changes);
      } catch (error) {
        reportError(error);
      }
    }
  };

  /** How the page looks once this is so. */
  const until = async (is) => {
    await connection;
    return new Promise((resolve) => {
      const check = () => {
        const now = page.look();
        if (!is(now)) return;
        end();
        resolve(now);
      };
      const end = onChange(check);
      check();
    });
  };

  // An article of the page's own host may know what the page knows; another may not, where the reader
  // has opened a file.
  const isOfOneHost = (() => {
    try {
      return self.origin !== "null" && parent.location.origin === self.origin;
    } catch {
      return false;
    }
  })();

  const fail = (words) => {
    throw new Error(words);
  };

  const isText = (value, most = MOST_OF_A_NAME) => typeof value === "string" && value.length <= most;
  const number = (value) => (typeof value === "number" && Number.isFinite(value) ? value : fail("that is no number"));
  const text = (value) => (isText(value) ? value : fail("that is no text, or too long"));

  // The reader's own

  /** What an article of another host may ask for once a reader has opened a file: what acts, and tells nothing. */
  const PASSES = ["play", "pause", "seek", "speed", "show", "theme", "controls", "untold", "plain"];
  const PRIVATE = `the reader has opened a file of their own, of which an article of another host hears nothing. Until the figure is loaded again it takes ${PASSES.slice(0, -1).join(", ")} and ${PASSES.at(-1)}, and says nothing of what comes of them`;

  let hasOwn = false;
  /** Whether the article is to hear nothing of what is shown. It stays so: runs and schedulers may be of the file's, too. */
  const isPrivate = () => !isOfOneHost && (hasOwn ||= page !== null && page.look().isFile);
  let withhold;
  /** Whatever is waited for when the page becomes private is not answered any more. */
  const withheld = new Promise((_, reject) => (withhold = () => reject(new Error(PRIVATE))));
  withheld.catch(() => {});

  // Links

  const SOURCE = ["sample", "file", "url", "experiment"];
  const JOBS = [...SOURCE, "member", "columns", "window", "status", "tenant", "fractions", "oversized", "load"];
  const MOMENT = ["t", "speed", "zoom", "range", "job", "follow", "lit"];
  const RUNS = ["run", "name", "hue", "baseline"];
  /** What may be said before the `#`, too. */
  const SET = ["src", "policy", "hues", "cluster", "t", "speed", "theme"];

  const pairsOf = (fragment) => fragment.replace(/^.*#/, "").split("&").filter((pair) => pair && !pair.startsWith("v="));
  const keyOf = (pair) => pair.split("=")[0];

  /** Schedulers that stand in one text: spaces part them, but not within brackets, nor around an `if` of one. */
  const policies = (value) =>
    (Array.isArray(value) ? value : text(value).split(/(?<!\sif)\s+(?!if\s)(?![^[\]]*\])/)).map(text).filter((policy) => policy.trim());

  /**
   * A link's text with other jobs, schedulers or settings; with other jobs, `gone` is no more said. Schedulers may come with
   * `hues`, a number each.
   */
  const changed = (fragment, { hues, ...settings }, gone = [...JOBS, ...MOMENT]) => {
    const hueOf = text(hues ?? "").split(" ");
    let pairs = pairsOf(fragment);
    const put = (keys, ...added) => {
      pairs = pairs.filter((pair) => !keys.includes(keyOf(pair)));
      pairs.push(...added.map(([key, value]) => `${key}=${encodeURIComponent(value)}`));
    };
    for (const [key, value] of Object.entries(settings)) {
      if (value === null || value === undefined) {
        put(key === "policy" ? RUNS : [key]);
      } else if (["src", "sample", "url"].includes(key)) {
        const isAddress = /^https?:/.test(text(value));
        put(gone, [key !== "src" ? key : isAddress ? "url" : "sample", value]);
      } else if (key === "policy") {
        put(RUNS, ...policies(value).flatMap((policy, at) => [["run", policy], ...(hueOf[at] ? [["hue", hueOf[at]]] : [])]));
      } else if (/^[a-z][a-z-]{0,60}$/.test(key) && ["string", "number", "boolean"].includes(typeof value)) {
        put([key], [key, text(String(value))]);
      } else {
        fail(`${key.slice(0, 60)} is no setting`);
      }
    }
    return ["v=1", ...pairs].join("&");
  };

  /**
   * The link to what a link and settings beside it say; and where a file may have settings of its own, which
   * hold but for what is said here, what is to be said once that is open.
   */
  const together = (link, settings) => {
    const whole = { ...settings, view: null };
    if (whole.theme && !["light", "dark"].includes(whole.theme)) whole.theme = null;
    const all = changed(link, whole, SOURCE);
    const said = pairsOf(all);
    const isOfFile = said.some((pair) => ["url", "experiment", "file"].includes(keyOf(pair)));
    if (!isOfFile || settings.policy === undefined || pairsOf(link).some((pair) => keyOf(pair) === "run")) return { link: all };
    const own = said.filter((pair) => ![...JOBS, ...MOMENT, ...RUNS].includes(keyOf(pair)));
    const later = Object.fromEntries(own.map((pair) => [keyOf(pair), decodeURIComponent(pair.slice(keyOf(pair).length + 1))]));
    return { link: changed(all, { policy: "" }), later: { ...later, policy: settings.policy, hues: settings.hues, t: settings.t ?? null } };
  };

  const go = async (fragment) => {
    // An article that was about to show something leaves what the reader has opened since.
    if (isPrivate()) fail(PRIVATE);
    const before = location.hash;
    // The program hears of it before this does.
    const followed = new Promise((resolve) => addEventListener("hashchange", resolve, { once: true }));
    location.replace(`#${fragment}`);
    // Another wording of the same address is no event, nor is what a browser refuses since it came too often.
    if (location.hash !== before) await followed;
  };

  /** Says the rest once a file is open. */
  const say = async (later) => {
    if (!later) return;
    await until(({ open, said }) => open || said);
    if (page.look().open) await go(changed(page.link(), later));
  };

  /** Follows a link as one that is put into the address, and waits until its runs are over. */
  const follow = async (fragment, { playing } = page.look()) => {
    await go(fragment);
    const now = await until(({ done, said, open }) => done || (said && !open));
    if (playing !== now.playing && !(playing && isStill)) setPlaying(playing);
    return now;
  };

  /** Refuses a link of which something is not understood, before anything of it is shown. */
  const understood = (fragment) => {
    const wrong = page.complaint(fragment);
    return wrong === undefined ? fragment : fail(wrong);
  };

  // What was shown last of which nothing was wrong, while others are tried; of several the latest counts.
  let sound = null;
  let trials = 0;
  let latest = 0;

  /** Has the page show something else, and what it has shown before if that cannot be opened or run. */
  const attempt = async (act) => {
    const mine = ++latest;
    if (trials++ === 0) sound = { link: page.link(), look: page.look() };
    try {
      const { said } = await act();
      if (said) fail(said);
      return summary();
    } catch (error) {
      if (mine === latest && !isPrivate() && page.link() !== sound.link) await follow(sound.link, sound.look);
      throw error;
    } finally {
      trials -= 1;
    }
  };

  // Results

  const KEPT = ["policy", "placement", "seed", "jobs", "finished", "rejected", "jct", "queueing", "makespan", "restarts", "gpu_allocation", "node_hours", "mean_nodes", "fairness", "longest_wait", "failures", "log_hash"];

  const summary = () => {
    const { t, end, playing, speed, done } = page.look();
    const results = page.results();
    const names = page.facts().map(({ name }) => name);
    const runs = results.runs.map((run, at) => ({ name: names[at], ...Object.fromEntries(KEPT.map((key) => [key, run[key]])) }));
    return { t, end, playing, speed, done, trace: results.trace, cluster: results.cluster, runs };
  };

  // Goals

  /** Results name a scheduler in one way, articles also as it was called before. */
  const runOf = (runs, name) => {
    const spec = page.specOf(name) ?? name;
    return (
      runs.find((run, at) => [String(at), run.name, run.policy].includes(name)) ??
      runs.find(({ policy }) => policy === spec) ??
      runs.find(({ policy }) => policy.startsWith(spec))
    );
  };
  const FIGURES = {
    mean: ({ jct }) => jct.mean,
    median: ({ jct }) => jct.median,
    p95: ({ jct }) => jct.p95,
    makespan: ({ makespan }) => makespan,
    restarts: ({ restarts }) => restarts,
  };
  const COMPARED = { "<": (a, b) => a < b, ">": (a, b) => a > b, "<=": (a, b) => a <= b, ">=": (a, b) => a >= b, "=": (a, b) => a === b };

  const term = (words) => {
    if (/^-?\d+(\.\d+)?$/.test(words)) return () => Number(words);
    if (words === "t") return ({ now }) => now.t;
    const [, what, run] = /^(\w+)\(([^()]*)\)$/.exec(words) ?? fail(`a goal does not know '${words.slice(0, 60)}'`);
    const name = run.trim() || "0";
    if (["waiting", "running", "finished"].includes(what)) return ({ runs }) => runOf(runs, name)?.[what];
    const figure = Object.hasOwn(FIGURES, what) ? FIGURES[what] : fail(`a goal does not know '${what.slice(0, 60)}'`);
    return ({ results }) => {
      const of = results && runOf(results.runs, name);
      // A run that leaves jobs behind is never the better one.
      return of && (of.finished === of.jobs ? figure(of) : NaN);
    };
  };

  /** A condition as a function of what is: `done`, `t >= 60`, `mean(srtf) < mean(fifo)`, `job J3 is running`, joined by `and`. */
  const condition = (words) => {
    const parts = text(words).trim().split(/\s+and\s+/).map((part) => {
      if (part === "done") return ({ now }) => now.done;
      const job = /^job (?:"([^"]+)"|(\S+)) is (coming|waiting|running|finished)(?: under (.+))?$/.exec(part);
      if (job) return () => runOf(page.facts(job[1] ?? job[2]), job[4] ?? "0")?.place === job[3];
      const [, left, by, right] = /^(.+?)\s*(<=|>=|<|>|=)\s*(.+)$/.exec(part) ?? fail(`a goal does not know '${part.slice(0, 60)}'`);
      const [a, b] = [term(left), term(right)];
      return (what) => COMPARED[by](a(what), b(what));
    });
    return (what) => parts.every((part) => part(what));
  };

  const goals = [];

  // What may be asked

  const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
  // The reader's browser alone knows whether a picture can be had.
  const picture = async () => {
    const canvases = [...document.querySelectorAll(".view canvas")];
    const largest = canvases.sort((a, b) => b.width * b.height - a.width * a.height)[0];
    return largest?.width ? createImageBitmap(largest) : null;
  };
  const nameOrNone = (name) => (name === null || name === undefined ? null : text(name));
  const known = (is) => void (is || fail("there is no job of that name"));

  const METHODS = {
    ready: () => page.look(),
    play: () => {
      const { t, end, done } = page.look();
      if (done && t >= end) seek(0);
      setPlaying(true);
    },
    pause: () => setPlaying(false),
    seek: async (seconds) => {
      const time = number(seconds);
      // Whether the runs get that far is not told of the reader's own.
      if (!isPrivate()) await until(({ end, done }) => done || end >= time);
      seek(time);
    },
    speed: (speed) => {
      page.speed(number(speed));
      expect();
    },
    select: (job) => known(page.select(nameOrNone(job))),
    highlight: (job) => known(page.highlight(nameOrNone(job))),
    zoom: async (stretch) => {
      const [from, to] = stretch === null || stretch === undefined ? [] : Array.isArray(stretch) ? stretch.map(number) : fail("a stretch of time is [from, to]");
      if (from !== undefined && !(from < to)) fail("a stretch of time ends after it begins");
      await follow(understood(changed(page.link(), { zoom: from === undefined ? null : `${from}..${to}` })));
    },
    show: (view) => void (page.show(text(view)) || fail("there is no view of that name")),
    theme: (theme) => page.theme(text(theme)),
    controls: (is) => controls(Boolean(is)),
    untold: (is) => untold(Boolean(is)),
    plain: (is) => plain(Boolean(is)),
    run: async (settings) => {
      if (typeof settings !== "object" || !settings) fail("settings are an object");
      const { link, ...others } = settings;
      if (link === undefined) {
        // Others may be over sooner than where the clock stands.
        const whole = understood(changed(page.link(), { t: null, ...others }));
        return attempt(() => follow(whole));
      }
      if (!isText(link, MOST_LETTERS)) fail("a link is a text, and not too long");
      const { link: first, later } = together(link, others);
      understood(first);
      if (!later) return attempt(() => follow(first));
      understood(changed(first, later));
      const { playing } = page.look();
      return attempt(async () => {
        await go(first);
        await say(later);
        return follow(page.link(), { playing });
      });
    },
    summary,
    facts: (job) => page.facts(job === undefined ? undefined : text(job)),
    goal: ({ name, predicate } = {}) =>
      new Promise((resolve) => {
        if (goals.length === MOST_GOALS) fail("there are too many goals");
        goals.push({ name: text(name), is: condition(predicate), resolve });
        if (isReady) reach(page.look());
      }),
    link: () => page.link(),
    picture,
  };

  const controls = (are) => {
    if (are) delete document.documentElement.dataset.controls;
    else document.documentElement.dataset.controls = "none";
  };

  /** Whether a reader is to guess what comes of the runs: then the yards do not tell. */
  const untold = (is) => void document.documentElement.toggleAttribute("data-untold", is);

  /** Whether what the view can be made to show otherwise is not offered: the article says what it shows. */
  const plain = (is) => void document.documentElement.toggleAttribute("data-plain", is);

  // Who is told

  let origin = "*";
  const post = (message) => {
    const said = isPrivate() ? alike(message) : message;
    if (!said) return;
    const { method, ...words } = said;
    const transfer = words.result instanceof ImageBitmap ? [words.result] : [];
    parent.postMessage({ switchyard: 1, ...words }, { targetOrigin: origin, transfer });
  };
  /** What is said in place of a message, whatever file is open: none of the message itself. */
  const alike = ({ id, method, event }) => {
    if (method) return PASSES.includes(method) ? { id, result: null } : { id, error: PRIVATE };
    return event === "private" ? { event, detail: { message: PRIVATE } } : null;
  };
  const tell = (event, detail) => post({ event, detail });

  /** Whether what a message brings is within bounds; it is read no further than those go. */
  const isWithin = (params) => {
    let letters = MOST_LETTERS;
    let values = MOST_VALUES;
    const fits = (value, depth) => {
      values -= 1;
      if (values < 0 || depth > MOST_DEPTH) return false;
      if (value === null || ["undefined", "boolean", "number"].includes(typeof value)) return true;
      if (typeof value === "string") return (letters -= value.length) >= 0;
      if (Array.isArray(value)) return value.length <= values && value.every((of) => fits(of, depth + 1));
      if (typeof value !== "object" || Object.getPrototypeOf(value) !== Object.prototype) return false;
      return Object.entries(value).every(([key, of]) => fits(key, depth + 1) && fits(of, depth + 1));
    };
    return fits(params, 0);
  };

  /** Does what is asked. In private it waits for nothing: that would tell how far the runs are. */
  const perform = async (method, params) => {
    keepToReader();
    if (!isPrivate()) {
      await begun;
      if (method !== "play" && method !== "pause") await until(({ ready, said }) => ready || said);
    }
    if (isPrivate() && !PASSES.includes(method)) fail(PRIVATE);
    return (await METHODS[method](params)) ?? null;
  };

  let waiting = 0;
  const hear = async ({ source, data, origin: from }) => {
    if (source !== parent || data?.switchyard !== 1 || !isText(data.method, 40) || !Object.hasOwn(METHODS, data.method)) return;
    const { id, method, params } = data;
    const isNamed = isText(id, 100) || Number.isFinite(id);
    if (!isNamed || waiting === MOST_WAITING || !isWithin(params)) return;
    // A frame without an origin has no name to be sent to, and neither has a page from a disk.
    origin = ["null", "file://"].includes(from) ? "*" : from;
    waiting += 1;
    try {
      post({ id, method, result: await Promise.race([perform(method, params), withheld]) });
    } catch (error) {
      post({ id, method, error: String(error.message ?? error).slice(0, MOST_OF_A_NAME) });
    } finally {
      waiting -= 1;
    }
  };

  /** Tells once that there is something of the reader's own, and ends all waiting. */
  let isWithheld = false;
  const keepToReader = () => {
    if (isWithheld || !isPrivate()) return;
    isWithheld = true;
    goals.length = 0;
    withhold();
    tell("private");
  };

  // What the clock is expected to do by itself: what it does otherwise, a person has done.
  let expected = null;
  const expect = () => (expected = { ...page.look(), at: performance.now() });
  const setPlaying = (playing) => {
    if (playing) page.play();
    else page.pause();
    expect();
  };
  const seek = (time) => {
    page.seek(time);
    expect();
  };
  const hasMoved = (now) => {
    if (!expected || now.playing !== expected.playing && now.t < now.end || now.speed !== expected.speed) return Boolean(expected);
    const most = expected.playing ? ((performance.now() - expected.at) / 1000 + 0.4) * now.speed : 0;
    return now.t < expected.t - 1e-6 || now.t > expected.t + most + 1e-6;
  };

  let isReady = false;
  const watch = () => {
    // What the article has been told.
    let said = "";
    let clock = {};
    let selected;
    let done = null;
    const isClockOf = (now) => ["t", "end", "playing", "speed"].every((key) => now[key] === clock[key]);
    const tellOf = (changes) => {
      keepToReader();
      const now = page.look();
      if (now.open && !isReady && asked.get("autoplay") === "0" && now.playing) setPlaying(false);
      if (now.said && now.said !== said) tell("error", { message: now.said.slice(0, MOST_OF_A_NAME) });
      said = now.said;
      const isFirst = now.ready && !isReady;
      if (isFirst) {
        isReady = true;
        if (asked.get("autoplay") === "1" && !isStill) setPlaying(true);
        const job = asked.get("highlight");
        if (job) page.highlight(job);
        expect();
        tell("ready", { t: now.t, end: now.end, picture: globalThis.switchyardFirstPicture ?? null });
      }
      if (!isReady) return;
      const isSame = isClockOf(now);
      if (!isSame && (isFirst || changes.includes("time"))) {
        const { t, end, playing, speed } = now;
        // What a link or other runs have moved, nobody has moved by hand.
        const isByLink = now.revision !== clock.revision;
        tell("time", { t, end, playing, speed, moved: !isByLink && hasMoved(now) });
        expect();
        clock = now;
      } else if (isSame) clock = now;
      if (now.selected !== selected && selected !== undefined) tell("select", { job: now.selected });
      selected = now.selected;
      // Other runs may be over before this hears of the first.
      if (now.done && now.revision !== done) {
        done = now.revision;
        if (!isPrivate()) tell("done", summary());
      }
      if (goals.length) reach(now);
    };
    onChange(tellOf);
    tellOf([]);
  };

  const reach = (now) => {
    const what = { now, runs: page.facts(), results: now.done ? summary() : null };
    for (const goal of goals.filter(({ is }) => is(what))) {
      goals.splice(goals.indexOf(goal), 1);
      tell("goal", { name: goal.name });
      goal.resolve(null);
    }
  };

  if (isEmbedded) {
    controls(asked.get("controls") !== "none");
    untold(asked.has("untold"));
    plain(asked.has("plain"));
    addEventListener("message", hear);
    // All ways by which a file gets into a page, before anything else hears of it.
    for (const way of ["drop", "input", "change", "paste"]) {
      const note = ({ target, dataTransfer, clipboardData }) => {
        if (!(dataTransfer ?? clipboardData ?? target).files?.length) return;
        hasOwn = true;
        keepToReader();
      };
      addEventListener(way, note, true);
    }
    let later = null;
    let wrong = null;
    if (SET.some((key) => asked.has(key))) {
      // Before the program reads its address.
      try {
        const settings = SET.filter((key) => asked.has(key)).map((key) => [key, asked.get(key)]);
        const all = together(location.hash, Object.fromEntries(settings));
        later = all.later;
        location.replace(`#${all.link}`);
      } catch (error) {
        wrong = error;
      }
    }
    begun = connection.then(() => say(later)).catch((error) => (wrong = error));
    begun.then(() => {
      if (wrong) tell("error", { message: String(wrong.message).slice(0, MOST_OF_A_NAME) });
      watch();
    });
  }

  return {
    connect: (handle) => {
      page = handle;
      page.subscribe(heard);
      connected();
    },
    // For tests/e2e/hostile.test.mjs, which tries all of them.
    methods: Object.keys(METHODS),
    // For static/, web/editor/ and web/explorer/.
    get page() {
      return page;
    },
    onChange,
    until,
    changed,
    dialog: () => globalThis.switchyardSnippets.open(),
  };
})();
