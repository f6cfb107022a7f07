// <switchyard-view>: Switchyard in an article. One script without dependencies: it holds a poster and, once
// near to what is seen, a frame of the page beside it (`index.html?embed=…`), with which it speaks as
// static/embed.js has it. docs/embedding.md is for authors.
//
// It is a classic script, because browsers load those from servers that send no CORS header, and from a disk;
// `import()` takes it, too. Nothing from the frame becomes markup, and messages count only from the frame
// itself. It needs neither inline scripts nor inline styles, so a strict security policy of the article lets it
// work.
(() => {
  "use strict";

  // Every snippet of an article brings the script along.
  if (customElements.get("switchyard-view")) return;

  /** Where this script lies; a module hears of that only from a stack. */
  const OWN = document.currentScript?.src ?? /\w+:\/\/\S+?(?=:\d+:\d+\)?$)/m.exec(new Error().stack)[0];

  /** The page beside it; from a disk, browsers load it as one file alone. */
  const isOnDisk = OWN.startsWith("file:");
  const PAGE = new URL(isOnDisk ? "./switchyard.html" : "./index.html", OWN);

  /** So many frames at once, unless more are seen; the others are pictures until they come near. */
  const MOST_FRAMES = matchMedia("(pointer: coarse)").matches || navigator.deviceMemory <= 4 ? 3 : 6;

  /** Frames are made this far before they are seen. */
  const NEAR = "400px 0px";

  /** A frame that says nothing for so long will not. */
  const PATIENCE_MS = 30_000;

  /** Figures of a group that are further apart than so many seconds of the reader's are put right. */
  const APART = 0.75;

  /** What the page is asked for by attributes (static/embed.js reads them before the `#` of its address). */
  const SET = ["src", "policy", "cluster", "t", "speed", "theme"];

  /** Schedulers that an attribute names, with spaces between, but not within brackets or around an `if`. */
  const specsOf = (policy) => policy.split(/(?<!\sif)\s+(?!if\s)(?![^[\]]*\])/).filter(Boolean);

  /** The hues of a figure's schedulers, a number each: in all of an article's figures a scheduler has the same. */
  const huesOf = (policy) => {
    const views = [...document.querySelectorAll("switchyard-view")];
    const all = [...new Set(views.flatMap((view) => specsOf(view.getAttribute("policy") ?? "")))];
    return specsOf(policy).map((spec) => all.indexOf(spec)).join(" ");
  };

  /** The hidden frame that has the workers of all figures (static/sharing.js); in the document, where frames find it. */
  const share = () => {
    const name = "switchyard-workers";
    if (document.querySelector(`iframe[name="${name}"]`)) return;
    document.body.append(made("iframe", { name, src: new URL("?workers", PAGE).href, hidden: true, title: "Workers of the figures" }));
  };

  const made = (name, properties = {}) => Object.assign(document.createElement(name), properties);

  const isStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

  const STYLE = `
  :host { display: grid; grid-template-rows: minmax(0, 1fr) auto; height: 480px; }
  :host([hidden]) { display: none; }
  .room { position: relative; min-height: 0; overflow: hidden; }
  .room > * { position: absolute; inset: 0; width: 100%; height: 100%; border: 0; box-sizing: border-box; }
  img, canvas { object-fit: contain; object-position: top; }
  .room.here > :not(iframe) { display: none; }
  .room:not(.here) > iframe { opacity: 0; }
  p { font: 14px/1.4 system-ui, sans-serif; margin: 4px 0 0; }
  p:empty { display: none; }
  @media print {
    :host([poster]) { height: auto !important; }
    :host([poster]) .room > :is(iframe, canvas, slot) { display: none; }
    :host([poster]) .room > img { display: block !important; height: auto; position: static; }
  }`;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);

  /** Figures that share clock, play and speed, by the name of their group. */
  const groups = new Map();

  class SwitchyardView extends HTMLElement {
    static observedAttributes = [
      "src", "policy", "cluster", "view", "t", "speed", "select", "highlight", "theme", "group", "controls", "untold", "plain", "autoplay", "poster", "link", "caption",
    ];

    #room = made("div", { className: "room" });
    #caption = made("p", { part: "caption" });
    #image = null;
    #frame = null;
    #origin = "";
    #ready = null;
    #isReady = false;
    /** Why it tells nothing, once the reader has opened a file of their own in it and the article is of another host. */
    #private = "";
    #calls = new Map();
    #next = 0;
    #timer = 0;
    #changes = new Set();
    /** What a frame was when it was dropped. */
    #link = null;
    #plays = null;
    #seen = false;
    #near = false;
    #group = "";
    #clock = null;
    #seeking = false;
    #goals = new Map();

    constructor() {
      super();
      const shadow = this.attachShadow({ mode: "open" });
      shadow.adoptedStyleSheets = [sheet];
      this.#room.append(made("slot"));
      shadow.append(this.#room, this.#caption);
    }

    connectedCallback() {
      near.observe(this);
      seen.observe(this);
      this.#join(this.group);
    }

    disconnectedCallback() {
      near.unobserve(this);
      seen.unobserve(this);
      this.#join("");
      this.#drop();
      this.#link = null;
      this.#seen = this.#near = false;
    }

    attributeChangedCallback(name, before, now) {
      if (before === now || this.#isNoting) return;
      if (!this.#changes.size) queueMicrotask(() => this.#change());
      this.#changes.add(name);
    }

    #change() {
      const changes = new Set(this.#changes);
      this.#changes.clear();
      this.#caption.textContent = this.caption;
      if (changes.has("poster")) {
        this.#image?.remove();
        this.#image = this.poster ? made("img", { src: this.poster, alt: this.caption, part: "poster" }) : null;
        if (this.#image) this.#room.prepend(this.#image);
      }
      if (changes.has("group")) this.#join(this.group);
      if (!this.#frame) {
        // What is to be shown has changed: nothing is left of what was.
        if (["src", "policy", "cluster", "link", "t"].some((name) => changes.has(name))) this.#link = null;
        return;
      }
      const quietly = (method, params) => void this.#ask(method, params).catch((error) => this.#tell("error", { message: error.message }));
      const isSet = ["src", "policy", "cluster", "link"].some((name) => changes.has(name));
      // Another trace comes with all that is said of it; else what stays as it was may be a file's.
      const isOther = ["src", "link"].some((name) => changes.has(name)) || [...changes].some((name) => SET.includes(name) && !this[name]);
      if (isSet) quietly("run", isOther ? { link: this.#fragment(), view: null, ...this.#set() } : this.#set([...changes]));
      else if (changes.has("theme")) quietly("theme", this.theme);
      if (changes.has("view")) quietly("show", this.view);
      for (const name of ["controls", "untold", "plain"]) if (changes.has(name)) quietly(name, this[name]);
      if (changes.has("speed") && this.speed) quietly("speed", Number(this.speed));
      if (changes.has("t") && !isSet && this.t) void this.seek(Number(this.t)).catch(() => {});
      for (const name of ["select", "highlight"]) if (changes.has(name)) quietly(name, this.getAttribute(name));
    }

    // What it can be asked

    play() {
      this.#plays = true;
      this.#lead({ playing: true });
      return this.#ask("play");
    }

    pause() {
      this.#plays = false;
      this.#lead({ playing: false });
      // What is not there does not play, and is not made for that.
      return this.#frame ? this.#ask("pause") : Promise.resolve();
    }

    seek(seconds) {
      this.#lead({ t: seconds });
      return this.#ask("seek", seconds);
    }

    select(job = null) {
      return this.#ask("select", job);
    }

    highlight(job = null) {
      return this.#ask("highlight", job);
    }

    /** Shows a stretch of time, `[from, to]` in seconds, or all of it. */
    zoom(stretch = null) {
      return this.#ask("zoom", stretch);
    }

    /** Runs with other settings, which attributes then say; tells what came of them. What is refused changes nothing. */
    async run(settings = {}) {
      const { src } = settings;
      const results = await this.#ask("run", typeof src === "string" ? { ...settings, src: addressOf(src) } : settings);
      await this.#note(settings);
      return results;
    }

    /** Has attributes say what is shown now. What has no attribute of its own stands in `link`. */
    async #note({ link, sample, url, ...settings }) {
      const src = settings.src ?? sample ?? url;
      if (src !== undefined) settings.src = src;
      const whole = link !== undefined;
      const hasOthers = Object.keys(settings).some((name) => !SET.includes(name));
      // What a reader has opened has no link that is told.
      if (hasOthers || (src !== undefined && this.link)) link = await this.#ask("link").catch(() => link);
      const others = whole ? SET : src === undefined ? ["t"] : ["t", "speed"];
      const said = { ...Object.fromEntries(others.map((name) => [name, null])), ...settings, ...(link !== undefined && { link }) };
      this.#isNoting = true;
      for (const name of [...SET, "link"]) {
        if (name in said) this[name] = Array.isArray(said[name]) ? said[name].join(" ") : said[name];
      }
      this.#isNoting = false;
    }
    #isNoting = false;

    summary() {
      return this.#ask("summary");
    }

    /** Resolves, and tells `goal`, once the condition holds: a text, or a function of facts and results. */
    goal(name, predicate) {
      return new Promise((resolve, reject) => {
        this.#goals.set(String(name), { predicate, resolve, reject });
        this.#aim(String(name));
      });
    }

    /** The frame's picture of this moment, an ImageBitmap; null for views without one. */
    picture() {
      return this.#ask("picture");
    }

    // The frame

    /** What an author has copied, or what the frame was when it was dropped. */
    #fragment() {
      return this.#link ?? this.link.replace(/^.*#/, "");
    }

    /** What attributes say besides. */
    #set(names = SET) {
      const said = this.#link === null ? SET.filter((name) => names.includes(name) && this[name]) : [];
      const set = Object.fromEntries(said.map((name) => [name, name === "src" ? addressOf(this.src) : this[name]]));
      return set.policy ? { ...set, hues: huesOf(set.policy) } : set;
    }

    #make() {
      if (this.#frame || !this.isConnected) return;
      if (!isOnDisk) share();
      const address = new URL(PAGE);
      const named = /(?:^|[#&])view=([a-z]+)/.exec(this.#fragment())?.[1];
      const plays = this.#plays ?? this.autoplay;
      address.search = new URLSearchParams({
        embed: this.view || named || "yard",
        autoplay: plays && !isStill() && this.#seen ? 1 : 0,
        controls: this.controls ? "player" : "none",
        ...(this.untold && { untold: 1 }),
        ...(this.plain && { plain: 1 }),
        ...this.#set(),
      });
      address.hash = this.#fragment();
      this.#plays ??= this.autoplay && !isStill();
      // A page from a disk has no origin to be sent to.
      this.#origin = ["null", "file://"].includes(address.origin) ? "*" : address.origin;
      this.#frame = made("iframe", { src: address.href, title: this.caption || "Switchyard", allow: "clipboard-write" });
      this.#ready = Promise.withResolvers?.() ?? resolvers();
      this.#ready.promise.catch(() => {});
      this.#timer = setTimeout(() => {
        const message = "the frame does not answer: its page is not there, or a security policy (Content-Security-Policy: frame-src) forbids it";
        this.#ready?.reject(new Error(message));
        this.#tell("error", { message });
      }, PATIENCE_MS);
      this.#room.append(this.#frame);
      thin();
    }

    /** Takes the frame away; what it was is there again when it comes back. */
    #drop() {
      clearTimeout(this.#timer);
      this.#frame?.remove();
      this.#frame = null;
      this.#isReady = false;
      this.#private = "";
      this.#ready?.reject(new Error("the figure was taken away"));
      this.#ready = null;
      for (const { reject } of this.#calls.values()) reject(new Error("the figure was taken away"));
      this.#calls.clear();
      this.#room.classList.remove("here");
    }

    /** Becomes a picture, if what it is can be had; a file of the reader's own stays. */
    async shelve() {
      if (this.#private) return;
      if (!this.#isReady) return this.#drop();
      const frame = this.#frame;
      const [link, picture] = await Promise.all([this.#ask("link"), this.#ask("picture")]).catch(() => [null, null]);
      if (this.#frame !== frame || this.#near || this.#private) return;
      this.#drop();
      this.#link = link;
      this.#room.querySelector("canvas")?.remove();
      if (picture) {
        const canvas = made("canvas", { width: picture.width, height: picture.height });
        canvas.getContext("bitmaprenderer").transferFromImageBitmap(picture);
        this.#room.append(canvas);
      }
    }

    /** Whether it is to answer something. */
    get isAsked() {
      return this.#asked > 0;
    }

    get isPrivate() {
      return this.#private !== "";
    }

    get isFramed() {
      return this.#frame !== null;
    }

    get isNear() {
      return this.#near;
    }

    set isNear(is) {
      this.#near = is;
      if (is) this.#make();
      else thin();
    }

    set isSeen(is) {
      this.#seen = is;
      if (!this.#isReady) return;
      // Asleep off screen, and awake again as it was.
      if (is) this.#start();
      else if (this.#plays) this.#quietly("pause");
    }

    async #ask(method, params) {
      if (!this.isConnected) throw new Error("the figure is in no document");
      // Goals wait for long, and are told the next frame again.
      const counts = method === "goal" ? 0 : 1;
      this.#asked += counts;
      try {
        this.#make();
        await this.#ready.promise;
        const id = ++this.#next;
        return await new Promise((resolve, reject) => {
          this.#calls.set(id, { resolve, reject });
          this.#frame.contentWindow.postMessage({ switchyard: 1, id, method, params }, this.#origin);
        });
      } finally {
        this.#asked -= counts;
      }
    }
    #asked = 0;

    #tell(name, detail) {
      this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true }));
    }

    /** Whether a message is of this element's frame, which then has been heard. */
    hear({ source, origin, data }) {
      if (!this.#frame || source !== this.#frame.contentWindow) return false;
      if (this.#origin !== "*" && origin !== this.#origin) return true;
      if (data?.switchyard !== 1) return true;
      const { id, event, detail } = data;
      if (this.#calls.has(id)) {
        const { resolve, reject } = this.#calls.get(id);
        this.#calls.delete(id);
        if (typeof data.error === "string") reject(new Error(data.error));
        else resolve(data.result);
      } else if (event === "ready") {
        this.#begin(detail);
      } else if (event === "goal") {
        this.#reach(String(detail?.name));
      } else if (event === "time") {
        const { moved, ...clock } = detail;
        this.#clock = clock;
        if (moved) {
          this.#plays = clock.playing;
          this.#lead(clock);
        }
        this.#keepUp();
        this.#tell("time", clock);
        this.#look();
      } else if (event === "private") {
        this.#keepToReader(detail.message);
      } else if (["select", "done", "error"].includes(event)) {
        this.#tell(event, detail);
        if (event === "done") this.#look();
        // A frame that has something to say is not hidden behind its poster.
        if (event === "error") this.#room.classList.add("here");
      }
      return true;
    }

    #begin(detail) {
      clearTimeout(this.#timer);
      this.#isReady = true;
      this.#room.classList.add("here");
      this.#ready.resolve();
      for (const name of ["select", "highlight"]) {
        if (this.#link === null && this.hasAttribute(name)) void this.#ask(name, this.getAttribute(name)).catch((error) => this.#tell("error", { message: error.message }));
      }
      // What the frame was is told; from here on it knows itself what it is.
      this.#link = null;
      this.#start();
      for (const name of this.#goals.keys()) this.#aim(name);
      this.#tell("ready", detail);
    }

    /** The reader's own is played by the reader, and moves no other figure. */
    #keepToReader(message) {
      clearTimeout(this.#timer);
      this.#isReady = true;
      this.#private = message;
      this.#plays = null;
      this.#join("");
      this.#room.classList.add("here");
      this.#ready.resolve();
      for (const name of [...this.#goals.keys()]) this.#aim(name);
      this.#tell("private", { message });
    }

    // Goals

    #aim(name) {
      const { predicate, reject } = this.#goals.get(name);
      if (this.#private) {
        this.#goals.delete(name);
        return reject(new Error(this.#private));
      }
      if (typeof predicate === "function" || !this.#isReady) return void this.#make();
      this.#ask("goal", { name, predicate }).catch((error) => this.#isReady && this.#goals.delete(name) && reject(error));
    }

    #reach(name) {
      this.#goals.get(name)?.resolve();
      if (this.#goals.delete(name)) this.#tell("goal", { name });
    }

    /** Looks whether conditions that the article has as functions hold. */
    async #look() {
      const functions = [...this.#goals].filter(([, { predicate }]) => typeof predicate === "function");
      if (!functions.length || this.#looking) return;
      this.#looking = true;
      try {
        const [runs, results] = await Promise.all([this.#ask("facts"), this.#ask("summary")]);
        for (const [name, { predicate }] of functions) if (predicate({ ...this.#clock, runs, results })) this.#reach(name);
      } finally {
        this.#looking = false;
      }
    }
    #looking = false;

    // Groups: one clock

    #join(name) {
      if (name === this.#group) return;
      const old = groups.get(this.#group);
      old?.members.delete(this);
      if (old?.leader === this) old.leader = null;
      if (old && !old.members.size) groups.delete(this.#group);
      this.#group = name;
      if (!name) return;
      if (!groups.has(name)) groups.set(name, { members: new Set(), leader: null, clock: null, plays: null });
      groups.get(name).members.add(this);
    }

    /** Does as its group does, if anybody has said what that is; else what its own attribute says, and the group with it. */
    #start() {
      const group = groups.get(this.#group);
      if (group && group.plays === null && this.#plays && this.#seen) this.#lead({ playing: true });
      if (group?.clock && group.leader !== this) this.#follow(group.clock);
      else if (this.#plays) this.#quietly(this.#seen ? "play" : "pause");
    }

    /** Has the others of the group do as this one does. */
    #lead(clock) {
      const group = groups.get(this.#group);
      if (!group) return;
      group.leader = this;
      group.plays = clock.playing ?? group.plays;
      group.clock = { ...group.clock, ...this.#clock, ...clock, playing: group.plays ?? undefined };
      for (const other of group.members) if (other !== this) other.#follow(group.clock, clock);
    }

    #follow({ t, playing, speed }, only = { t, playing, speed }) {
      if (playing !== undefined) this.#plays = playing;
      if (!this.#isReady) return;
      if (only.speed !== undefined) this.#quietly("speed", speed);
      if (only.t !== undefined) this.#quietly("seek", t);
      if (only.playing !== undefined) this.#quietly(playing && this.#seen ? "play" : "pause");
    }

    async #quietly(method, params) {
      if (method === "seek" && this.#seeking) return;
      this.#seeking ||= method === "seek";
      await this.#ask(method, params).catch(() => {});
      if (method === "seek") this.#seeking = false;
    }

    /** The one that leads the group tells it the time; others that fall behind are put right. */
    #keepUp() {
      const group = groups.get(this.#group);
      if (!group || !this.#seen) return;
      if (!group.leader?.isFramed || !group.leader.#seen) group.leader = this;
      if (group.leader !== this) return;
      const { t, end, playing, speed } = this.#clock;
      if (t >= end && !playing && group.plays) group.plays = false;
      // What somebody has said, and not what it does: one that has only just come does not play yet.
      group.clock = { ...this.#clock, playing: group.plays ?? undefined };
      for (const other of group.members) {
        const clock = other.#clock;
        if (other === this || !other.#isReady || !other.#seen || !clock || other.#seeking) continue;
        if (playing && clock.playing && Math.abs(clock.t - t) > APART * speed && t < clock.end) other.#quietly("seek", t);
      }
    }
  }

  const resolvers = () => {
    const result = {};
    result.promise = new Promise((resolve, reject) => Object.assign(result, { resolve, reject }));
    return result;
  };

  /** The name of a sample as it is; what is an address, in full. */
  const addressOf = (src) => (/[/.:]/.test(src) ? new URL(src, document.baseURI).href : src);

  for (const name of ["src", "policy", "cluster", "view", "t", "speed", "theme", "group", "poster", "link", "caption"]) {
    Object.defineProperty(SwitchyardView.prototype, name, {
      get() {
        return this.getAttribute(name) ?? "";
      },
      set(value) {
        if (value === null || value === undefined) this.removeAttribute(name);
        else this.setAttribute(name, value);
      },
      configurable: true,
      enumerable: true,
    });
  }
  for (const name of ["controls", "untold", "plain", "autoplay"]) {
    Object.defineProperty(SwitchyardView.prototype, name, {
      get() {
        return this.hasAttribute(name);
      },
      set(value) {
        this.toggleAttribute(name, Boolean(value));
      },
      configurable: true,
      enumerable: true,
    });
  }

  const all = () => [...document.querySelectorAll("switchyard-view")];

  /** Makes pictures of frames that are out of reach, where there are too many. */
  const thin = () => {
    const framed = all().filter(({ isFramed }) => isFramed);
    const far = ({ element }) => -Math.abs(element.getBoundingClientRect().top);
    const distant = framed.filter(({ isNear, isAsked, isPrivate }) => !isNear && !isAsked && !isPrivate).sort((a, b) => far({ element: a }) - far({ element: b }));
    for (const element of distant.slice(0, Math.max(0, framed.length - MOST_FRAMES))) void element.shelve();
  };

  const near = new IntersectionObserver((entries) => entries.forEach(({ target, isIntersecting }) => (target.isNear = isIntersecting)), { rootMargin: NEAR });
  const seen = new IntersectionObserver((entries) => entries.forEach(({ target, isIntersecting }) => (target.isSeen = isIntersecting)));

  addEventListener("message", (event) => void all().some((element) => element.hear(event)));

  customElements.define("switchyard-view", SwitchyardView);
})();
