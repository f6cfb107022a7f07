// The workers that the frames of one article share. static/view.js puts one more frame into the article,
// hidden, which nobody sees (`index.html?workers`): it starts no program, has all workers, and lives as
// long as the article, while figures come and go. A figure's page asks here for a worker
// (static/workers.js) and hears it by a port of its own.
//
// What a worker says is a function of what it was asked: so whoever asks for what another has asked for
// already (to open the same trace, to run the same scheduler on the same jobs) hears the same again, and
// no worker works. No more workers than cores are at work at once, whoever asked; those that are idle
// make room, and are started again for who asks on (why a job waits, other jobs of a trace).
//
// A frame and no SharedWorker: that one may start no workers of its own in most browsers, and it cannot be
// had at all in some. Frames of another host than this one's, or without an origin, have workers of their own.
globalThis.switchyardSharing = (() => {
  if (!new URLSearchParams(location.search).has("workers")) return null;

  const MOST_WORKERS = Math.max(2, Math.min(navigator.hardwareConcurrency || 2, 2 * (navigator.deviceMemory || 4), 8));
  /** Bytes of answers that are held for those who come later: of one, and of all. */
  const MOST_OF_ONE = 32e6;
  const MOST_HELD = 96e6;
  /** Bytes of jobs or files that are compared. */
  const MOST_COMPARED = 64e6;
  /** A worker that owes an answer for so long may be taken from who asked. */
  const QUIET_MS = 20_000;
  /** How often pages that are gone are looked for. */
  const GONE_MS = 2_000;

  // A parcel, request or reply, is {kind, isShared, isLast, key, message, attachments} (web/src/bridge/parcel.rs): nothing
  // here reads its message. These kinds are known by name; a test in web/src/bridge/protocol holds them to the protocol.
  const LOAD = "load";
  const TAKEN = "taken";
  const CRASHED = "crashed";
  /** The roles of workers that a figure may ask for. The same test holds them to the protocol. */
  const ROLES = ["opener", "runner", "summarizer", "goodput-model", "packer", "starter", "exporter", "weights-reader", "queues-reader"];

  const sizeOf = ({ message, attachments }) => [message, ...attachments].reduce((sum, part) => sum + (part?.byteLength ?? part?.size ?? part?.length ?? 0), 0);

  /** What requests come to, as a text: equal for equal ones with equal files or jobs. None where that cannot be told. */
  const nameOf = async (role, parcels) => {
    const attached = parcels.flatMap(({ attachments }) => attachments);
    const size = parcels.reduce((sum, parcel) => sum + sizeOf(parcel), 0);
    if (!globalThis.crypto?.subtle || size > MOST_COMPARED) return null;
    const parts = attached.flatMap((part) => [`\n${part.name ?? ""} ${part.byteLength ?? part.size}\n`, part]);
    const bytes = await new Blob(parts).arrayBuffer();
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    const files = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
    return [role, ...parcels.map(({ key }) => key), files].join(" ");
  };

  // Workers, and who has them: a task or a line.

  const places = new Set();
  const queue = [];
  const isIdle = ({ owner, at }) => owner?.isIdle || (owner?.isDone && performance.now() - at > QUIET_MS);

  const isRoom = () => {
    const counted = [...places].filter(({ owner }) => !owner?.isAlone);
    if (counted.length < MOST_WORKERS) return true;
    const [longest] = counted.filter(isIdle).sort((a, b) => a.at - b.at);
    if (longest) end(longest);
    return Boolean(longest);
  };

  const end = (place) => {
    if (!place || !places.delete(place)) return;
    place.worker?.terminate();
    if (place.owner) place.owner.place = null;
  };

  const next = () => {
    while (queue.length && isRoom()) employ(queue.shift());
  };

  const begin = (role, owner) => {
    const place = { owner, worker: null, isReady: false, early: [], at: performance.now() };
    places.add(place);
    const fail = (message) => {
      const { owner } = place;
      end(place);
      if (owner) owner.fail(message);
      else spare = null;
      waiting.splice(0).forEach((line) => line.fail(message));
      next();
    };
    switchyardWorkers.begin(role).then((worker) => {
      if (!places.has(place)) return worker.terminate();
      place.worker = worker;
      worker.onmessage = ({ data }) => {
        place.at = performance.now();
        if (place.isReady) return place.owner?.hear(data);
        place.isReady = true;
        greet(data);
        place.early.splice(0).forEach((parcel) => worker.postMessage(parcel));
      };
      worker.onerror = (event) => {
        event.preventDefault();
        fail(event.message ?? "");
      };
    }, (error) => fail(switchyardWords(error)));
    return place;
  };

  const ask = (place, parcel) => {
    place.at = performance.now();
    if (place.isReady) place.worker.postMessage(parcel);
    else place.early.push(parcel);
  };

  /** Has a worker do what its owner's first request is; once there is room. */
  const employ = (owner) => {
    if (spare && owner.role === "opener") {
      owner.place = Object.assign(spare, { owner });
      spare = null;
    } else if (owner.isAlone || isRoom()) {
      owner.place = begin(owner.role, owner);
    } else {
      queue.push(owner);
      return;
    }
    owner.early.splice(0).forEach((parcel) => ask(owner.place, parcel));
  };
  const dismiss = (owner) => {
    if (queue.includes(owner)) queue.splice(queue.indexOf(owner), 1);
    end(owner.place);
    next();
  };

  /** The first figure opens a trace: that worker is started before it asks. */
  let spare = null;
  const prepare = () => (spare ??= begin("opener", null));

  // Tasks: what was asked for, and what came of it.

  const tasks = new Map();

  class Task {
    place = null;
    lines = new Set();
    answers = [];
    bytes = 0;
    isDone = false;

    /** `parcels`: the request, behind what it needs loaded; `basis`: those of them that later questions need. */
    constructor(name, role, parcels, basis) {
      Object.assign(this, { name, role, basis, early: parcels });
      if (name) tasks.set(name, this);
    }

    get isIdle() {
      return this.isDone;
    }

    hear(parcel) {
      this.lines.forEach((line) => line.tell(parcel));
      if (this.isDone || !parcel.isShared) return;
      this.keep(parcel);
      if (!parcel.isLast) return;
      this.isDone = true;
      if (parcel.kind === CRASHED) this.forget();
      this.lines.forEach((line) => line.goOn());
      next();
    }

    keep(parcel) {
      this.bytes += sizeOf(parcel);
      this.answers.push(parcel);
      if (this.bytes > MOST_OF_ONE) return this.forget();
      const held = [...tasks.values()];
      let all = held.reduce((sum, { bytes }) => sum + bytes, 0);
      // Those asked for longest ago go first.
      for (const task of held) {
        if (all <= MOST_HELD) break;
        if (!task.isDone || task.lines.size) continue;
        all -= task.bytes;
        task.forget();
      }
    }

    /** Nobody else gets to hear it. */
    forget() {
      if (tasks.get(this.name) === this) tasks.delete(this.name);
      this.answers = [];
      if (this.isDone && !this.lines.size) dismiss(this);
    }

    fail(message) {
      // Who is only to answer for it starts anew.
      if (this.isDone) return;
      this.forget();
      this.lines.forEach((line) => line.fail(message));
    }

    /** One line less; what nobody waits for is not gone on with. */
    leave(line) {
      this.lines.delete(line);
      if (this.lines.size || this.isDone && tasks.has(this.name)) return;
      this.forget();
      dismiss(this);
    }
  }

  // Lines: a figure's page, for which there is a worker at the other end.

  const lines = new Set();
  const waiting = [];
  let greeting = null;
  /** That a worker is ready, as it says it itself. */
  const greet = (parcel) => {
    greeting ??= parcel;
    waiting.splice(0).forEach((line) => line.tell(greeting));
  };

  class Line {
    place = null;
    task = null;
    /** What is to be loaded before a request. */
    loaded = null;
    early = [];
    held = [];
    owed = 0;
    /** Whether its worker opens again what its task opened. */
    repeats = false;
    isOpen = true;

    constructor(role, port, page) {
      Object.assign(this, { role, port, page });
      lines.add(this);
      let order = Promise.resolve();
      port.onmessage = ({ data }) => {
        if (data === null) this.close();
        else order = order.then(() => this.isOpen && this.answer(data));
      };
      if (greeting) this.tell(greeting);
      else {
        waiting.push(this);
        prepare();
      }
    }

    tell(parcel) {
      this.port.postMessage(parcel);
    }

    async answer(parcel) {
      // A worker is as far ahead as it may be of the figure that is fastest.
      if (parcel.kind === TAKEN) {
        if (this.task?.place && !this.task.isDone) ask(this.task.place, parcel);
        return;
      }
      if (parcel.kind === LOAD) {
        this.leave();
        this.loaded = parcel;
        return;
      }
      if (!parcel.isShared) return this.ask(parcel);
      const parcels = this.loaded ? [this.loaded, parcel] : [parcel];
      const name = await nameOf(this.role, parcels);
      if (!this.isOpen) return;
      this.leave();
      const known = name && tasks.get(name);
      this.task = known || new Task(name, this.role, parcels, this.loaded ?? parcel);
      this.task.lines.add(this);
      this.task.answers.forEach((answer) => this.tell(answer));
      if (!known) employ(this.task);
    }

    /** Lets go of what was asked before. */
    leave() {
      this.task?.leave(this);
      dismiss(this);
      [this.task, this.owed, this.repeats, this.held, this.early] = [null, 0, false, [], []];
    }

    /** What follows from a task is asked of its worker, or of one that does it again; what stands alone, of one's own. */
    ask(parcel) {
      const { task } = this;
      if (task && !task.isDone) {
        if (task.lines.size === 1 && task.place) ask(task.place, parcel);
        else this.held.push(parcel);
        return;
      }
      this.owed += 1;
      if (this.place) return ask(this.place, parcel);
      if (this.early.length) return void this.early.push(parcel);
      if (task?.place) {
        this.place = Object.assign(task.place, { owner: this });
        task.place = null;
        return ask(this.place, parcel);
      }
      const basis = task?.basis ?? this.loaded;
      // What is only loaded has no answer.
      this.repeats = Boolean(basis && basis.kind !== LOAD);
      this.early = basis ? [basis, parcel] : [parcel];
      employ(this);
    }

    goOn() {
      this.held.splice(0).forEach((parcel) => this.ask(parcel));
    }

    /** What its worker knows follows from requests that are not held here: it stays as long as the line. */
    get isAlone() {
      return this.task === null;
    }

    get isDone() {
      return !this.isAlone;
    }

    get isIdle() {
      return !this.isAlone && this.owed <= 0;
    }

    hear(parcel) {
      if (this.repeats) {
        this.repeats = !parcel.isLast;
        return;
      }
      if (parcel.isLast) this.owed -= 1;
      this.tell(parcel);
      next();
    }

    fail(message) {
      this.tell({ error: message });
    }

    close() {
      if (!lines.delete(this)) return;
      this.isOpen = false;
      this.leave();
      this.port.close();
    }
  }

  // A page that goes says so, but in WebKit its last word may get lost.
  setInterval(() => lines.forEach((line) => line.page.closed && line.close()), GONE_MS);

  // Pages of this host alone, and of this version.
  addEventListener("message", ({ origin, data, ports: [port], source }) => {
    const { worker, version } = data ?? {};
    if (origin !== self.origin || origin === "null" || !port || !ROLES.includes(worker)) return;
    const isOurs = version === switchyardWorkers.version;
    port.postMessage(isOurs);
    if (isOurs) new Line(worker, port, source);
  });

  prepare();
  return { tasks, places };
})();
