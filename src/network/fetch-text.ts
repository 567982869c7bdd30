import { TextDecoder } from "node:util";
import { BodyTooLarge, collectBytes } from "./collect-bytes.js";
import { Exchange } from "./exchange.js";
import type { SendRequest } from "./sender.js";

/** Limits of a request. */
export interface FetchLimits {
  /** Ends the request: by the caller, or by a time limit (`withinTime`). */
  readonly signal: AbortSignal;
  /** Most bytes of the body, decompressed. */
  readonly maxBytes: number;
}

/** An answer, read to its end. */
export interface FetchedText {
  readonly status: number;
  readonly headers: Headers;
  /** The body as UTF-8 text. */
  readonly text: string;
}

/**
 * Sends a request and reads its answer to the end.
 * @throws BodyTooLarge when the body has, or is announced with, more than `maxBytes`; the signal's reason; the error of
 * the connection
 */
export async function fetchText(
  send: SendRequest,
  url: string,
  init: RequestInit,
  { signal, maxBytes }: FetchLimits,
): Promise<FetchedText> {
  const exchange = new Exchange(send, signal);
  try {
    const { status, headers } = await exchange.request(url, init);
    if (announcedBytes(headers) > maxBytes) throw new BodyTooLarge(maxBytes);
    const body = await collectBytes(exchange.body(), maxBytes);
    return { status, headers, text: new TextDecoder().decode(body) };
  } finally {
    exchange.end();
  }
}

/** The length that an answer announces; 0 if it does not, or is compressed. */
function announcedBytes(headers: Headers): number {
  const length = headers.get("content-length");
  return length !== null && /^\d+$/.test(length) && headers.get("content-encoding") === null
    ? Number(length)
    : 0;
}
