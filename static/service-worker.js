// Answers for the published page where there is no network (static/offline.js asks for it). It knows the page's files by
// their content: `KEPT`, which xtask/src/offline.rs writes above, has the hash of each, and nothing else is ever kept.
// Traces that are fetched, and all other hosts, are none of its business.
//
// A version is kept as a whole before it answers. The one before it stays for pages that are still open; what is
// not kept, or cannot be read, comes from the network.
const { version, first, later } = KEPT;
const files = { ...first, ...later };

const ours = `switchyard ${registration.scope} `;
const cacheName = ours + version;
const addressOf = (name) => new URL(name, registration.scope).href;

/** Names that say what is in the file: another version's stay what they were. */
const SAYS_CONTENT = /-[0-9a-f]{16}(_bg)?\.(js|css|wasm)$|\?v=[0-9a-f]{16}$/;

/** A file of this version from the network; what the browser has of it already is not fetched again. */
const fetched = async (name) => {
  const get = (cache) => fetch(addressOf(name), { cache, integrity: files[name], redirect: "error" });
  // What it has may be of the version before.
  return get("default").catch(() => get("reload"));
};

/** Keeps files, one after the other: the line is others', too. */
const keep = async (names) => {
  const cache = await caches.open(cacheName);
  for (const name of names) {
    if (!(await cache.match(addressOf(name)))) await cache.put(addressOf(name), await fetched(name));
  }
};

/** Our caches but this version's, the oldest first. */
const others = async () => (await caches.keys()).filter((name) => name.startsWith(ours) && name !== cacheName);

addEventListener("install", (event) => {
  event.waitUntil(keep(Object.keys(first)).then(() => skipWaiting()));
});

addEventListener("activate", (event) => {
  const tidy = async () => {
    // Pages that are open are of the last one at the oldest.
    const old = (await others()).slice(0, -1);
    await Promise.all(old.map((name) => caches.delete(name)));
    await clients.claim();
  };
  event.waitUntil(tidy());
});

addEventListener("message", (event) => {
  // Offline, or without room: what is missing is kept when it is used.
  if (event.data === "all") event.waitUntil(keep(Object.keys(later)).catch(() => {}));
});

/** The name of what a request asks for, below the page's folder. */
const nameOf = ({ url, mode }) => {
  const { origin, pathname, search } = new URL(url);
  const scope = new URL(registration.scope);
  if (origin !== scope.origin || !pathname.startsWith(scope.pathname)) return null;
  const name = `./${pathname.slice(scope.pathname.length)}`;
  // Whatever the page is asked behind ?, it is the same page.
  if (mode === "navigate" && ["./", "./index.html"].includes(name)) return "./";
  return name + search;
};

/** What is kept of it, of this version or, where its name says what it is, of another. */
const kept = async (name) => {
  const match = (cacheName) => caches.match(addressOf(name), { cacheName });
  const own = await match(cacheName);
  if (own || !SAYS_CONTENT.test(name)) return own;
  for (const other of await others()) {
    const found = await match(other);
    if (found) return found;
  }
};

const answer = async (event, name) => {
  try {
    const found = await kept(name);
    if (found) return found;
    if (name in files) {
      const response = await fetched(name);
      const copy = response.clone();
      // Whoever asks does not wait for that, and without room for it nothing is kept.
      event.waitUntil(caches.open(cacheName).then((cache) => cache.put(addressOf(name), copy)).catch(() => {}));
      return response;
    }
  } catch {
    // A storage that is broken, or a newer page on the server: as without us.
  }
  return fetch(event.request);
};

addEventListener("fetch", (event) => {
  if (event.request.method !== "GET") return;
  const name = nameOf(event.request);
  if (name !== null && (name in files || SAYS_CONTENT.test(name))) event.respondWith(answer(event, name));
});
