import { createServer } from "node:http";
import { createGzip } from "node:zlib";

const BLOCK = Buffer.alloc(65_536, " ");
const BYTES = Buffer.from("1\r\nx\r\n".repeat(10_000));

/**
 * Writes as fast as the other side reads, until it goes.
 * @param {NodeJS.WritableStream} to
 * @param {Buffer} piece
 * @param {import("node:net").Socket} socket
 */
function pour(to, piece, socket) {
  const more = () => {
    while (!socket.destroyed && to.write(piece));
    if (!socket.destroyed) to.once("drain", more);
  };
  more();
}

/** @type {Readonly<Record<string, (response: import("node:http").ServerResponse, socket: import("node:net").Socket) => void>>} */
export const KINDS = {
  "never answers": () => {},
  drip: (response, socket) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write(" "), 20);
    socket.once("close", () => clearInterval(timer));
  },
  endless: (response, socket) => {
    response.writeHead(200);
    pour(response, BLOCK, socket);
  },
  "endless, a byte a chunk": (_response, socket) => {
    socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    pour(socket, BYTES, socket);
  },
  "gzip bomb": (response, socket) => {
    response.writeHead(200, { "Content-Encoding": "gzip" });
    const gzip = createGzip();
    gzip.pipe(response);
    pour(gzip, BLOCK, socket);
  },
  "length too long": (_response, socket) => {
    socket.end("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{}");
  },
  "length too short": (_response, socket) => {
    socket.end('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n{"data":[]}');
  },
  "reset mid-body": (response, socket) => {
    response.writeHead(200);
    response.write('{"data":', () => socket.resetAndDestroy());
  },
  "six encodings, reset": (response, socket) => {
    response.writeHead(200, { "Content-Encoding": "gzip, gzip, gzip, gzip, gzip, gzip" });
    response.write(BLOCK, () => setTimeout(() => socket.resetAndDestroy(), 50));
  },
};

/**
 * Starts a server whose path says what it does: `/<number of the kind>/…`.
 * @returns {Promise<{ url: string, close: () => void }>}
 */
export function startHostile() {
  const kinds = Object.values(KINDS);
  const server = createServer((request, response) => {
    const { socket } = request;
    socket.on("error", () => socket.destroy());
    request.resume();
    kinds[Number(request.url?.split("/")[1])]?.(response, socket);
  });
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
      const close = () => {
        server.close();
        server.closeAllConnections();
      };
      resolve({ url: `http://127.0.0.1:${port}`, close });
    });
  });
}
