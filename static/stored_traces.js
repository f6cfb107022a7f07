// Traces kept in this browser's IndexedDB: their files, compressed where they are not yet, and how
// they were opened; and the files open in a tab, as they are, held until the tab has others or is
// over. Tabs tell one another what has changed, and each removes only what is its own. web/src/stored_traces.rs
// calls this; what fails is an error with a sentence for people.
globalThis.switchyardStoredTraces = (() => {
  const done = (request) =>
    new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });

  // A frame in an article keeps nothing, and finds nothing that the reader has kept: the article hears of
  // what it shows (static/embed.js).
  const isFrame = parent !== self && new URLSearchParams(location.search).has("embed");

  // What `use` asks of the store, once it is written down. Too little room shows only then.
  const store = async (mode, use) => {
    if (isFrame) throw new Error("a page in a frame keeps nothing");
    const opening = indexedDB.open("switchyard", 1);
    opening.onupgradeneeded = () =>
      opening.result.createObjectStore("traces", { keyPath: "id", autoIncrement: true });
    const database = await done(opening);
    try {
      const transaction = database.transaction("traces", mode);
      const end = new Promise((resolve, reject) => {
        transaction.oncomplete = resolve;
        transaction.onabort = () => reject(transaction.error);
      });
      const [result] = await Promise.all([done(use(transaction.objectStore("traces"))), end]);
      return result;
    } finally {
      database.close();
    }
  };

  // Of what is compressed already, nothing is won.
  const packed = async (file) =>
    /\.(gz|tgz|zip|zst)$/i.test(file.name)
      ? file
      : new Response(file.stream().pipeThrough(new CompressionStream("gzip"))).blob();

  // What cannot be read is listed too, to be removed.
  const fact = (id, record) => ({
    id,
    name: record?.name ?? "(cannot be read)",
    jobs: record?.jobs ?? 0,
    bytes: record?.bytes ?? 0,
  });
  const read = (id) => store("readonly", (traces) => traces.get(id));
  const erase = (id) => store("readwrite", (traces) => traces.delete(id));

  // Other tabs of this browser, where it lets them hear of one another.
  const others = (() => {
    try {
      return new BroadcastChannel("switchyard kept");
    } catch {
      return null;
    }
  })();
  const told = (result) => {
    others?.postMessage(null);
    return result;
  };
  const remove = (id) => erase(id).then(told);
  const filesOf = ({ blobs, names }) => blobs.map((blob, i) => new File([blob], names[i]));
  const total = (blobs) => blobs.reduce((sum, { size }) => sum + size, 0);

  const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
  const checkRoom = async (bytes) => {
    const { quota = Infinity, usage = 0 } = (await navigator.storage?.estimate?.()) ?? {};
    if (bytes <= quota - usage) return;
    const left = megabytes(Math.max(quota - usage, 0));
    throw new Error(`it needs ${megabytes(bytes)} and this browser has room for ${left}: remove a kept trace first`);
  };

  const keep = async (files, name, jobs, member, columns, choice) => {
    // Browsers that are asked do not clear what is kept when a disk is full.
    navigator.storage?.persist?.().catch(() => {});
    const blobs = await Promise.all(files.map(packed));
    const bytes = total(blobs);
    await checkRoom(bytes);
    const names = files.map((file) => file.name);
    try {
      return await store("readwrite", (traces) =>
        traces.add({ name, jobs, bytes, names, blobs, member, columns, choice }),
      );
    } catch (error) {
      if (error?.name !== "QuotaExceededError") throw error;
      throw new Error(`it needs ${megabytes(bytes)} and this browser gives no more room: remove a kept trace first`);
    }
  };

  // The number of the record that is held for this tab. A tab that is discarded or restored still
  // has it, so that only age tells that others are over. A tab that was duplicated has the number of
  // the other's: who has the lock of a number owns its record, and others only read it.
  const HELD = "switchyard held";
  const DAY = 24 * 60 * 60 * 1000;
  const lockOf = (id) => `${HELD} ${id}`;
  const number = () => (isFrame ? 0 : Number(sessionStorage.getItem(HELD)));
  const release = new Map();
  const owns = async (id) => {
    if (!id || release.has(id) || !navigator.locks) return Boolean(id);
    return new Promise((resolve) => {
      const keepIt = (lock) => {
        resolve(lock !== null);
        return lock && new Promise((over) => release.set(id, over));
      };
      // Frames without an origin have no locks, and no others to share with.
      navigator.locks.request(lockOf(id), { ifAvailable: true }, keepIt).catch(() => resolve(true));
    });
  };
  const lockedNow = async () => {
    const { held = [] } = (await navigator.locks?.query().catch(() => ({}))) ?? {};
    return new Set(held.map(({ name }) => name));
  };

  const unhold = async () => {
    if (isFrame) return;
    const id = number();
    sessionStorage.removeItem(HELD);
    if (!(await owns(id))) return;
    await erase(id);
    release.get(id)?.();
    release.delete(id);
  };
  const hold = async (files) => {
    await unhold();
    const [bytes, names] = [total(files), files.map((file) => file.name)];
    await checkRoom(bytes);
    const record = { name: names[0], bytes, names, blobs: files, held: Date.now() };
    const id = await store("readwrite", (traces) => traces.add(record));
    sessionStorage.setItem(HELD, id);
    await owns(id);
  };

  const all = async () => {
    const ids = await store("readonly", (traces) => traces.getAllKeys());
    // One by one: a record that cannot be read hides no other.
    return Promise.all(ids.map(async (id) => [id, await read(id).catch(() => null)]));
  };
  const unholdAll = async () => {
    await unhold();
    await Promise.all((await all()).map(([id, record]) => record?.held && erase(id)));
  };

  // What a tab holds changes in the order in which it is asked.
  let last = Promise.resolve();
  const inTurn = (act) => (...what) => {
    const mine = last.then(() => act(...what));
    last = mine.catch(() => {});
    return mine;
  };

  // Whoever leaves meanwhile is asked first.
  let underWay = 0;
  addEventListener("beforeunload", (event) => underWay > 0 && event.preventDefault());

  return {
    list: async () => {
      const [records, locked] = await Promise.all([all(), lockedNow()]);
      const isOver = ([id, record]) =>
        record?.held && id !== number() && !locked.has(lockOf(id)) && Date.now() - record.held > DAY;
      await Promise.all(records.filter(isOver).map(([id]) => erase(id)));
      return records.filter(([, record]) => !record?.held).map(([id, record]) => fact(id, record));
    },
    keep: async (...what) => {
      underWay += 1;
      try {
        return told(await keep(...what));
      } finally {
        underWay -= 1;
      }
    },
    open: async (id) => {
      const kept = await read(id);
      if (!kept) throw new Error("it has been removed meanwhile: open its file again");
      return { ...kept, files: filesOf(kept) };
    },
    remove,
    hold: inTurn(hold),
    unhold: inTurn(unhold),
    unholdAll: inTurn(unholdAll),
    // None if another file is held, or none.
    held: async (name) => {
      const id = number();
      // Read first: what is another tab's may be gone a moment later.
      const record = id && (await read(id));
      if (record?.name !== name) return [];
      const files = filesOf(record);
      if (!(await owns(id))) {
        // This tab was made from another, which may let go of it.
        sessionStorage.removeItem(HELD);
        await inTurn(hold)(files).catch(() => {});
      }
      return files;
    },
    // Calls back when another tab has kept or removed a trace.
    watch: (changed) => others?.addEventListener("message", () => changed()),
  };
})();
