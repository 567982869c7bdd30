import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { createGzip } from "node:zlib";

/** What a hostile server does to a request. The socket is for what is no HTTP. */
export type Answer = (response: ServerResponse, socket: Socket) => void;

const BLOCK = Buffer.alloc(65_536, " ");

/** Writes as fast as the other side reads, until it goes. */
function pour(to: NodeJS.WritableStream, piece: () => Uint8Array, gone: () => boolean): void {
  const more = () => {
    if (gone()) return;
    while (to.write(piece())) if (gone()) return;
    to.once("drain", more);
  };
  more();
}

/** Each way of never ending, of lying, of breaking off. */
export const HOSTILE: Readonly<Record<string, Answer>> = {
  "never answers": () => {},
  "drips its headers": (_response, socket) => {
    socket.write("HTTP/1.1 200 OK\r\n");
    every(20, socket, () => socket.write("X: y\r\n"));
  },
  "drips its body": (response, socket) => {
    response.writeHead(200, { "Content-Type": "application/json" });
    every(20, socket, () => response.write(" "));
  },
  "stops in its body": (response) => {
    response.writeHead(200, { "Content-Length": 1000 });
    response.write('{"data":');
  },
  "never ends": (response, socket) => {
    response.writeHead(200, { "Content-Type": "application/json" });
    pour(
      response,
      () => BLOCK,
      () => socket.destroyed,
    );
  },
  "never ends, a byte a chunk": (_response, socket) => {
    socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    pour(
      socket,
      () => BYTES,
      () => socket.destroyed,
    );
  },
  "sends a bomb": (response, socket) => {
    response.writeHead(200, { "Content-Encoding": "gzip", "Content-Type": "application/json" });
    const gzip = createGzip();
    gzip.pipe(response);
    pour(
      gzip,
      () => BLOCK,
      () => socket.destroyed,
    );
  },
  "wraps its body often": (response) => {
    response.writeHead(200, { "Content-Encoding": Array.from({ length: 1500 }, () => "gzip").join(", ") });
    response.end(BLOCK);
  },
  "announces too much": (response) => {
    response.writeHead(200, { "Content-Length": 2 ** 40 });
    response.write(" ");
  },
  "announces more than comes": (_response, socket) => {
    socket.end("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{}");
  },
  "announces less than comes": (_response, socket) => {
    socket.end(`HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n${JSON.stringify({ data: [] })}`);
  },
  "announces two lengths": (_response, socket) => {
    socket.end("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 2\r\n\r\n{}");
  },
  "breaks off in its body": (response, socket) => {
    response.writeHead(200);
    response.write('{"data":', () => socket.resetAndDestroy());
  },
  "breaks off at once": (_response, socket) => {
    socket.resetAndDestroy();
  },
  "sends no HTTP": (_response, socket) => {
    socket.end("\0\u0001\u0002 HELLO\r\n\r\n");
  },
  "sends endless headers": (_response, socket) => {
    socket.write("HTTP/1.1 200 OK\r\nX: ");
    pour(
      socket,
      () => BLOCK,
      () => socket.destroyed,
    );
  },
  "leads in a circle": (response) => {
    response.writeHead(302, { Location: "/v1/ask" });
    response.end();
  },
};

const BYTES = Buffer.from("1\r\nx\r\n".repeat(10_000));

function every(ms: number, socket: Socket, act: () => void): void {
  const timer = setInterval(act, ms);
  socket.once("close", () => clearInterval(timer));
}

/** A server on loopback that answers every request in one way. */
export interface HostileServer {
  readonly url: string;
  /** Connections whose request is not answered to its end. */
  readonly busy: () => number;
  answer: Answer;
  close(): Promise<void>;
}

/** Starts a server that answers as it is told. */
export async function startHostile(answer: Answer): Promise<HostileServer> {
  const sockets = new Set<Socket>();
  const busy = new Set<Socket>();
  const server = createServer((request, response) => {
    request.resume();
    response.on("error", () => request.socket.destroy());
    busy.add(request.socket);
    response.once("finish", () => busy.delete(request.socket));
    started.answer(response, request.socket);
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.once("close", () => {
      sockets.delete(socket);
      busy.delete(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const started: HostileServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    busy: () => busy.size,
    answer,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return started;
}
