import { PullError } from "../../contract/errors.js";
import { BodyTooLarge, collectBytes } from "../../network/collect-bytes.js";
import { PULL_DEFAULTS } from "../pull/defaults.js";
import { type AttemptPolicy, Attempts } from "./attempts.js";
import { type HttpAnswer, type HttpClient, safeUrl } from "./http-client.js";
import { TransferFault } from "./transfer-fault.js";

/** A small file, whole, and the headers that came with it. */
export interface ReadDocument {
  readonly bytes: Uint8Array;
  header(name: string): string | undefined;
}

/**
 * Reads a small file completely, again if the connection breaks.
 * @throws PullError `source_invalid` when it has more than `maxBytes`; what the attempts throw
 */
export async function readDocument(
  client: HttpClient,
  url: string,
  maxBytes: number,
  policy: AttemptPolicy,
): Promise<ReadDocument> {
  const attempts = new Attempts(safeUrl(url), policy);
  for (;;) {
    try {
      return await client.exchange(url, {}, wholeBody(url, maxBytes), PULL_DEFAULTS.documentStalls);
    } catch (error) {
      if (!(error instanceof TransferFault)) throw error;
      await attempts.after(error);
    }
  }
}

/** Reads an answer with status 200 to its end. */
function wholeBody(url: string, maxBytes: number): (answer: HttpAnswer) => Promise<ReadDocument> {
  return async ({ status, header, body }) => {
    if (status !== 200) throw new TransferFault("mismatch", `it answered ${status} to a plain request`);
    const bytes = await collectBytes(body, maxBytes).catch((error: unknown) => {
      throw error instanceof BodyTooLarge ? tooLarge(url, maxBytes) : error;
    });
    const length = header("content-encoding") === undefined ? header("content-length") : undefined;
    if (length !== undefined && Number(length) !== bytes.length)
      throw new TransferFault("interrupted", `it ended after ${bytes.length} of ${length} bytes`);
    return { bytes, header };
  };
}

function tooLarge(url: string, maxBytes: number): PullError {
  return new PullError("source_invalid", `${safeUrl(url)} has more than ${maxBytes} bytes`, {
    value: safeUrl(url),
    remedy: "do not trust the source: an index or manifest of that size is none",
  });
}
