import { createHash } from "node:crypto";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";

/** A request that a {@link Host} got. */
export interface Seen {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

/** An HTTP server of a test on loopback, with what it was asked. */
export class Host {
  readonly seen: Seen[] = [];
  private constructor(
    private readonly server: Server,
    readonly origin: string,
  ) {}

  static async start(
    answer: (path: string, request: IncomingMessage, response: ServerResponse) => void,
  ): Promise<Host> {
    const server = createServer((request, response) => {
      const path = request.url ?? "";
      host.seen.push({ path, headers: request.headers });
      answer(path, request, response);
    });
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    const host = new Host(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    return host;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

/** Answers with JSON. */
export function sendJson(
  response: ServerResponse,
  value: unknown,
  headers: Record<string, string> = {},
): void {
  response
    .writeHead(200, { "content-type": "application/json; charset=utf-8", ...headers })
    .end(JSON.stringify(value));
}

/** Answers with a file as file hosts do: a strong ETag, ranges, `If-Range`. Breaks off after `cut` bytes of a whole answer. */
export function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  bytes: Buffer,
  cut?: number,
): void {
  const etag = `"${sha256(bytes).slice(0, 32)}"`;
  const [, from] = /^bytes=(\d+)-$/.exec(request.headers.range ?? "") ?? [];
  const isPart = from !== undefined && request.headers["if-range"] === etag && Number(from) < bytes.length;
  const part = isPart ? bytes.subarray(Number(from)) : bytes;
  response.writeHead(isPart ? 206 : 200, {
    etag,
    "accept-ranges": "bytes",
    "content-length": part.length,
    ...(isPart ? { "content-range": `bytes ${from}-${bytes.length - 1}/${bytes.length}` } : {}),
  });
  if (isPart || cut === undefined) response.end(part);
  else response.write(part.subarray(0, cut), () => response.socket?.end());
}

export const sha256 = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");
export const gitBlob = (bytes: Buffer) =>
  createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
