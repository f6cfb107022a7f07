// Traces kept in this browser's IndexedDB: their files, compressed where they are not yet, and how
// they were opened. web/src/kept.rs calls this; what fails is an error with a sentence for people.
globalThis.switchyardKept = (() => {
  const done = (request) =>
    new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });

  // What `use` asks of the store, once it is written down. Too little room shows only then.
  const store = async (mode, use) => {
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
    const bytes = blobs.reduce((sum, { size }) => sum + size, 0);
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

  // Whoever leaves meanwhile is asked first.
  let underWay = 0;
  addEventListener("beforeunload", (event) => underWay > 0 && event.preventDefault());

  return {
    // One by one: a record that cannot be read hides no other.
    list: async () => {
      const ids = await store("readonly", (traces) => traces.getAllKeys());
      return Promise.all(ids.map((id) => read(id).catch(() => null).then((record) => fact(id, record))));
    },
    keep: async (...what) => {
      underWay += 1;
      try {
        return await keep(...what);
      } finally {
        underWay -= 1;
      }
    },
    open: async (id) => {
      const kept = await read(id);
      if (!kept) throw new Error("it has been removed meanwhile: open its file again");
      return { ...kept, files: kept.blobs.map((blob, i) => new File([blob], kept.names[i])) };
    },
    remove: (id) => store("readwrite", (traces) => traces.delete(id)),
  };
})();
