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

  // What of the protocol counts here: the places of messages in their lists (web/src/bridge/protocol.rs, where
  // a test holds them to this).
  const [OPEN, SAMPLE, RUN, TAKEN] = [0, 2, 0, 1];
  const [READING, EXPORTED, LOG, DONE, FAILED, SLOWED, SUMMED, CRASHED] = [1, 7, 8, 9, 10, 12, 18, 19];
  const OF_A_RUN = [LOG, DONE, FAILED, SUMMED, CRASHED];
  const isLast = (place) => place !== READING && place !== LOG;
  const placeOf = (parcel) => (typeof parcel === "string" ? EXPORTED : new Uint8Array(parcel[0])[0]);
  /** Whether all that comes of a request follows from it alone. A run may be wanted for questions only: its second byte. */
  const ROLES = {
    opener: ([place]) => place === OPEN || place === SAMPLE,
    runner: ([place, simulates]) => place === RUN && simulates === 1,
  };

  const sizeOf = (parcel) => (typeof parcel === "string" ? parcel.length : parcel.reduce((sum, part) => sum + (part.byteLength ?? part.size ?? 0), 0));

  /** A request once more, for questions that follow: a run's log is known, and not asked for again. */
  const again = (role, [request, ...files]) => {
    const bytes = new Uint8Array(request.slice(0));
    if (role === "runner") bytes[1] = 0;
    return [bytes.buffer, ...files];
  };

  /** What a request comes to, as a text: equal for equal ones. None where that cannot be told. */
  const nameOf = async (role, parcel) => {
    if (!globalThis.crypto?.subtle || sizeOf(parcel) > MOST_COMPARED) return null;
    const parts = parcel.flatMap((part) => [`\n${part.name ?? ""} ${part.byteLength ?? part.size}\n`, part]);
    const bytes = await new Blob(parts).arrayBuffer();
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    return `${role} ${Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
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
        if (place.isReady) return place.owner?.hear(data, placeOf(data));
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

    constructor(name, role, parcel) {
      Object.assign(this, { name, role, parcel, early: [parcel] });
      if (name) tasks.set(name, this);
    }

    get isIdle() {
      return this.isDone;
    }

    hear(parcel, place) {
      this.lines.forEach((line) => line.tell(parcel));
      if (this.isDone || (this.role === "runner" && !OF_A_RUN.includes(place))) return;
      this.keep(parcel);
      if (!isLast(place)) return;
      this.isDone = true;
      if (place === CRASHED) this.forget();
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
      if (this.role === "runner" && placeOf(parcel) === TAKEN) {
        if (this.task?.place && !this.task.isDone) ask(this.task.place, parcel);
        return;
      }
      if (!ROLES[this.role](new Uint8Array(parcel[0]))) return this.ask(parcel);
      const name = await nameOf(this.role, parcel);
      if (!this.isOpen) return;
      this.task?.leave(this);
      dismiss(this);
      [this.owed, this.repeats, this.held] = [0, false, []];
      const known = name && tasks.get(name);
      this.task = known || new Task(name, this.role, parcel);
      this.task.lines.add(this);
      this.task.answers.forEach((answer) => this.tell(answer));
      if (!known) employ(this.task);
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
      this.repeats = task !== null && this.role === "opener";
      this.early = task ? [again(this.role, task.parcel), parcel] : [parcel];
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

    hear(parcel, place) {
      if (this.repeats) {
        this.repeats = !isLast(place);
        return;
      }
      if (isLast(place) && place !== SLOWED) this.owed -= 1;
      this.tell(parcel);
      next();
    }

    fail(message) {
      this.tell({ error: message });
    }

    close() {
      if (!lines.delete(this)) return;
      this.isOpen = false;
      this.task?.leave(this);
      dismiss(this);
      this.port.close();
    }
  }

  // A page that goes says so, but in WebKit its last word may get lost.
  setInterval(() => lines.forEach((line) => line.page.closed && line.close()), GONE_MS);

  // Pages of this host alone, and of this version.
  addEventListener("message", ({ origin, data, ports: [port], source }) => {
    const { worker, version } = data ?? {};
    if (origin !== self.origin || origin === "null" || !port || !Object.hasOwn(ROLES, worker)) return;
    const isOurs = version === switchyardWorkers.version;
    port.postMessage(isOurs);
    if (isOurs) new Line(worker, port, source);
  });

  prepare();
  return { tasks, places };
})();
