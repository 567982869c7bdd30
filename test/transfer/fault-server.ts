import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { parseRange } from "../../src/client/files/byte-range.js";

/** What a {@link FaultServer} does to one answer. `after` counts bytes of its body. */
export type Fault =
  | { readonly kind: "refuse" }
  | { readonly kind: "drop"; readonly after: number }
  | { readonly kind: "reset"; readonly after: number }
  | { readonly kind: "truncate"; readonly after: number }
  | { readonly kind: "stall"; readonly after: number }
  | { readonly kind: "length"; readonly by: number }
  | { readonly kind: "more" }
  | { readonly kind: "corrupt"; readonly at: number }
  | { readonly kind: "other-version" }
  | { readonly kind: "other-part" }
  | { readonly kind: "shifted-part" }
  | { readonly kind: "whole" }
  | { readonly kind: "unsatisfiable" }
  | { readonly kind: "status"; readonly status: number; readonly retryAfter?: string };

/** One request as the server saw it. */
export interface Seen {
  readonly path: string;
  readonly range: string | undefined;
  readonly ifRange: string | undefined;
  readonly fault: Fault["kind"] | undefined;
  /** Bytes of body that left for the client. */
  sent: number;
  /** Whether the client went away before the end: on a busy machine it may take a pause for a stall. */
  left: boolean;
}

const PIECE = 16_384;

/** A file host on loopback that serves a folder, well (Range, If-Range, strong ETags) but for the faults that it is given. */
export class FaultServer {
  readonly seen: Seen[] = [];
  /** Told of every piece that was sent. */
  onSent: (total: number) => void = () => {};
  /** `none` gives no validator, `weak` a weak ETag, `date` a Last-Modified. */
  validators: "strong" | "weak" | "date" | "none" = "strong";
  ranges = true;
  private total = 0;
  private readonly queues = new Map<string, Fault[]>();
  private readonly server = createServer((request, response) => {
    this.answer(request, response).catch(() => response.destroy());
  });

  private constructor(private readonly dir: string) {}

  static async start(dir: string): Promise<FaultServer> {
    const server = new FaultServer(dir);
    await new Promise<void>((resolve) => server.server.listen(0, "127.0.0.1", resolve));
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Faults of the next answers for paths that end so; then it serves well. */
  plan(suffix: string, faults: readonly Fault[]): void {
    this.queues.set(suffix, [...faults]);
  }

  /** Bytes of body sent for paths that end so. */
  sent(suffix: string): number {
    return this.seen.filter(({ path }) => path.endsWith(suffix)).reduce((sum, { sent }) => sum + sent, 0);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? "/";
    const queue = [...this.queues].find(([suffix]) => path.endsWith(suffix))?.[1];
    const fault = queue?.shift();
    const seen: Seen = {
      path,
      range: request.headers.range,
      ifRange: request.headers["if-range"] as string | undefined,
      fault: fault?.kind,
      sent: 0,
      left: false,
    };
    this.seen.push(seen);
    if (fault?.kind === "refuse") return void response.destroy();
    if (fault?.kind === "status") {
      const after = fault.retryAfter === undefined ? {} : { "Retry-After": fault.retryAfter };
      response.writeHead(fault.status, after).end();
      return;
    }
    const file = await readFile(join(this.dir, path)).catch(() => undefined);
    if (file === undefined) return void response.writeHead(404).end();
    await this.serve(request, response, file, fault, seen);
  }

  private async serve(
    request: IncomingMessage,
    response: ServerResponse,
    original: Buffer,
    fault: Fault | undefined,
    seen: Seen,
  ): Promise<void> {
    const isOther = fault?.kind === "other-version" || fault?.kind === "other-part";
    const content = isOther ? Buffer.from(original.map((byte) => byte ^ 0x5a)) : original;
    const etag = `"${createHash("sha256").update(content).digest("hex").slice(0, 20)}"`;
    const modified = new Date(1_700_000_000_000).toUTCString();
    const condition = request.headers["if-range"];
    const matches = condition === undefined || condition === etag || condition === modified;
    const honours = this.ranges && fault?.kind !== "whole" && (matches || fault?.kind === "other-part");
    let range = honours ? parseRange(request.headers.range, content.length) : undefined;
    if (fault?.kind === "unsatisfiable" && range !== undefined) range = "unsatisfiable";
    if (range === "unsatisfiable") {
      response.writeHead(416, { "Content-Range": `bytes */${content.length}` }).end();
      return;
    }
    if (fault?.kind === "shifted-part" && range !== undefined) range = { ...range, first: range.first - 1 };
    let body = range === undefined ? content : content.subarray(range.first, range.last + 1);
    if (fault?.kind === "corrupt" && body.length > 0) {
      body = Buffer.from(body);
      body[fault.at % body.length]! ^= 0x10;
    }
    if (fault?.kind === "more") body = Buffer.concat([body, Buffer.alloc(70_000, 7)]);
    const noLength = fault?.kind === "truncate" || fault?.kind === "more";
    const length = body.length + (fault?.kind === "length" ? fault.by : 0);
    response.writeHead(range === undefined ? 200 : 206, {
      ...(noLength ? {} : { "Content-Length": Math.max(0, length) }),
      ...(range === undefined
        ? {}
        : { "Content-Range": `bytes ${range.first}-${range.last}/${content.length}` }),
      ...(this.validators === "strong" ? { ETag: etag } : {}),
      ...(this.validators === "weak" ? { ETag: `W/${etag}` } : {}),
      ...(this.validators === "date" ? { "Last-Modified": modified } : {}),
      "Accept-Ranges": "bytes",
    });
    await this.send(response, body, fault, seen, length);
  }

  private async send(
    response: ServerResponse,
    body: Buffer,
    fault: Fault | undefined,
    seen: Seen,
    length: number,
  ): Promise<void> {
    const cut = fault !== undefined && "after" in fault ? Math.min(body.length, fault.after) : body.length;
    const end = fault?.kind === "length" ? Math.min(body.length, Math.max(0, length)) : cut;
    for (let at = 0; at < end; at += PIECE) {
      const piece = body.subarray(at, Math.min(end, at + PIECE));
      const gone = await new Promise<boolean>((resolve) =>
        response.write(piece, (error) => resolve(error != null)),
      );
      if (gone) {
        seen.left = true;
        return;
      }
      seen.sent += piece.length;
      this.total += piece.length;
      this.onSent(this.total);
    }
    switch (fault?.kind) {
      case "drop":
        response.destroy();
        break;
      case "reset":
        response.socket?.resetAndDestroy();
        break;
      case "stall":
        break;
      case "length":
        response.destroy();
        break;
      default:
        response.end();
    }
  }
}
