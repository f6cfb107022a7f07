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

  const fact = ({ id, name, jobs, bytes }) => ({ id, name, jobs, bytes });

  return {
    list: async () => (await store("readonly", (traces) => traces.getAll())).map(fact),
    keep: async (files, name, jobs, member, columns, choice) => {
      const blobs = await Promise.all(files.map(packed));
      const bytes = blobs.reduce((sum, { size }) => sum + size, 0);
      const names = files.map((file) => file.name);
      try {
        return await store("readwrite", (traces) =>
          traces.add({ name, jobs, bytes, names, blobs, member, columns, choice }),
        );
      } catch (error) {
        if (error?.name !== "QuotaExceededError") throw error;
        const size = (bytes / 1e6).toFixed(1);
        throw new Error(`it needs ${size} MB and this browser gives no more room: remove a kept trace first`);
      }
    },
    open: async (id) => {
      const kept = await store("readonly", (traces) => traces.get(id));
      if (!kept) throw new Error("it has been removed meanwhile: open its file again");
      return { ...kept, files: kept.blobs.map((blob, i) => new File([blob], kept.names[i])) };
    },
    remove: (id) => store("readwrite", (traces) => traces.delete(id)),
  };
})();
