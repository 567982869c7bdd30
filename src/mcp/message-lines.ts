import { Transform, type TransformCallback } from "node:stream";
import { clearTimeout, setTimeout } from "node:timers";
import { TextDecoder } from "node:util";
import {
  INVALID_REQUEST,
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  PARSE_ERROR,
} from "@modelcontextprotocol/server";
import { MCP_DEFAULTS } from "./defaults.js";

/** The answer to a line that is no message (JSON-RPC 2.0 section 5.1). */
export interface LineRefusal {
  readonly jsonrpc: "2.0";
  /** Id of the request, where it has one. */
  readonly id: string | number | null;
  readonly error: { readonly code: number; readonly message: string };
}

const NEWLINE = 0x0a;

/**
 * Passes the messages of a client on, a line each. What is none is answered: the protocol's transport would drop it without a word, and
 * its client would wait for an answer. The messages of a batch, which versions before 2025-06-18 have, are passed on one by one. The end is
 * passed on when all requests have been answered, or take too long: the transport ends with it, and answers nothing more.
 */
export class MessageLines extends Transform {
  private parts: Buffer[] = [];
  private size = 0;
  /** Ids of requests that are to be answered. */
  private readonly open = new Set<unknown>();
  private idle: (() => void) | undefined;
  private limit: NodeJS.Timeout | undefined;

  /** @param refuse sends the answer to a line that is no message */
  constructor(private readonly refuse: (refusal: LineRefusal) => void) {
    super();
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    let rest = chunk;
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
      this.add(rest.subarray(0, end));
      this.line();
      rest = rest.subarray(end + 1);
    }
    this.add(rest);
    done();
  }

  override _flush(done: TransformCallback): void {
    this.line();
    if (this.open.size === 0) {
      done();
      return;
    }
    this.idle = () => {
      clearTimeout(this.limit);
      this.idle = undefined;
      done();
    };
    this.limit = setTimeout(this.idle, MCP_DEFAULTS.lastAnswersMs);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    clearTimeout(this.limit);
    this.idle = undefined;
    done(error);
  }

  /** A request has been answered, or will not be. */
  settled(id: unknown): void {
    this.open.delete(id);
    if (this.open.size === 0) this.idle?.();
  }

  private add(part: Buffer): void {
    this.size += part.length;
    if (this.size > MCP_DEFAULTS.maxLineBytes) this.parts = [];
    else if (part.length > 0) this.parts.push(part);
  }

  private line(): void {
    const { parts, size } = this;
    this.parts = [];
    this.size = 0;
    if (size > MCP_DEFAULTS.maxLineBytes) {
      this.invalid(undefined, `a line may have ${MCP_DEFAULTS.maxLineBytes} bytes`);
      return;
    }
    let value: unknown;
    try {
      const text = new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(parts));
      if (text.trim() === "") return;
      value = JSON.parse(text);
    } catch {
      const message = "Parse error: a line has to be a message in JSON and UTF-8";
      this.refuse({ jsonrpc: "2.0", id: null, error: { code: PARSE_ERROR, message } });
      return;
    }
    const isBatch = Array.isArray(value);
    if (isBatch && (value as unknown[]).length === 0) this.invalid(value, "a batch has at least one message");
    for (const message of isBatch ? (value as unknown[]) : [value]) this.message(message);
  }

  private message(value: unknown): void {
    if (
      isJSONRPCRequest(value) ||
      isJSONRPCNotification(value) ||
      isJSONRPCResultResponse(value) ||
      isJSONRPCErrorResponse(value)
    ) {
      // A subscription is open as long as its client, and a request that is cancelled gets no answer.
      if (isJSONRPCRequest(value) && value.method !== "subscriptions/listen") this.open.add(value.id);
      this.push(`${JSON.stringify(value)}\n`);
      if (isJSONRPCNotification(value) && value.method === "notifications/cancelled")
        this.settled(value.params?.requestId);
    } else this.invalid(value, "a line has to be a message of JSON-RPC 2.0");
  }

  private invalid(value: unknown, why: string): void {
    const { id } = Object(value) as { readonly id?: unknown };
    this.refuse({
      jsonrpc: "2.0",
      id: typeof id === "string" || typeof id === "number" ? id : null,
      error: { code: INVALID_REQUEST, message: `Invalid Request: ${why}` },
    });
  }
}
