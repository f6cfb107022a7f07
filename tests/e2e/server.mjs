// A static server for the tests: one folder under one path, as any web host would have it.

import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join, normalize, sep } from "node:path";
import { gzipSync } from "node:zlib";

const MIME = {
  ".css": "text/css; charset=utf-8",
  ".csv": "text/csv; charset=utf-8",
  ".gz": "application/gzip",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".webmanifest": "application/manifest+json",
  ".wasm": "application/wasm",
  ".wgsl": "text/wgsl; charset=utf-8",
};

/**
 * Serves `folder` under `base`, on a port of the system's choice.
 * @param {object} options `headers` for every answer, further `pages` by name, as HTML, and whether files travel
 *   compressed (`gzip`)
 * @returns {Promise<{url: string, asked: string[], close: () => Promise<void>}>} `url` ends in `base`; `asked`: what has
 *   been asked for so far, below `base`.
 */
export async function serve(folder, base = "/some/sub/path/", { headers = {}, pages = {}, gzip = false } = {}) {
  const packed = new Map();
  const pack = (name, content) => {
    if (!packed.has(name)) packed.set(name, gzipSync(content));
    return packed.get(name);
  };
  const asked = [];
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    asked.push(request.url.slice(base.length));
    const name = pathname.startsWith(base) && pathname.slice(base.length);
    const file = name !== false && fileFor(folder, name);
    const content = pages[name] ?? (file && (await readFile(file).catch(() => null)));
    if (!content) {
      response.writeHead(404).end(`there is no ${pathname}\n`);
      return;
    }
    const type = MIME[extname(file)] ?? "application/octet-stream";
    const encoding = gzip ? { "content-encoding": "gzip" } : {};
    const body = gzip ? pack(pathname, content) : content;
    response.writeHead(200, { "content-type": type, "cache-control": "no-store", ...encoding, ...headers }).end(body);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}${base}`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
}

/** The file that a path leads to, or null where it leads out of the folder. */
function fileFor(folder, path) {
  const file = normalize(join(folder, decodeURIComponent(path || "index.html")));
  return file.startsWith(normalize(folder) + sep) ? file : null;
}
