import { once } from "node:events";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer } from "node:http";
/** @import { AddressInfo } from "node:net" */
import { join, normalize } from "node:path";
import { pipeline } from "node:stream/promises";

/**
 * Serves the files of a folder on loopback, as any file host does.
 * @param {string} dir
 * @returns {Promise<{ url: string; close: () => void }>}
 */
export async function serveFiles(dir) {
  const server = createServer((request, response) => {
    const path = join(dir, normalize(new URL(request.url ?? "/", "http://localhost").pathname));
    stat(path)
      .then(async ({ size }) => {
        const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? "");
        const start = Number(range?.[1] ?? 0);
        const end = Number(range?.[2] || size - 1);
        response.writeHead(range ? 206 : 200, {
          "Content-Length": size === 0 ? 0 : end - start + 1,
          "Accept-Ranges": "bytes",
          ETag: `"${size}"`,
          ...(range ? { "Content-Range": `bytes ${start}-${end}/${size}` } : {}),
        });
        await pipeline(createReadStream(path, { start, end }), response);
      })
      .catch(() => (response.headersSent ? response.destroy() : response.writeHead(404).end()));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = /** @type {AddressInfo} */ (server.address());
  return { url: `http://127.0.0.1:${port}/`, close: () => server.closeAllConnections() ?? server.close() };
}
