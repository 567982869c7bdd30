import type { IncomingMessage, ServerResponse } from "node:http";
import { performance } from "node:perf_hooks";
import { CallTrace } from "../endpoints/call-trace.js";

/** A request that was answered, or whose connection ended before. It has no header, no parameter and no body. */
export interface EndedRequest {
  readonly method: string;
  /** Path as it came, percent-encoded, without the query. */
  readonly path: string;
  /** Status of the answer; undefined if none was begun. */
  readonly status: number | undefined;
  /** Whether the connection ended before the whole answer was handed to the system. */
  readonly cut: boolean;
  /** Milliseconds from the end of the request's headers to the end of the answer. */
  readonly ms: number;
  /** Times and outcome of the call of the service; without a `code` for what was no call. */
  readonly trace: CallTrace;
}

/** Calls `ended` once a request is over. Returns where its call marks its stages. */
export function observeRequest(
  { method = "GET" }: IncomingMessage,
  outgoing: ServerResponse,
  path: string,
  ended: (request: EndedRequest) => void,
): CallTrace {
  const start = performance.now();
  const trace = new CallTrace();
  outgoing.once("close", () => {
    const status = outgoing.headersSent ? outgoing.statusCode : undefined;
    const cut = !outgoing.writableFinished;
    const close = () => ended({ method, path, status, cut, ms: performance.now() - start, trace });
    // A call whose caller went away ends a little later than its connection.
    if (cut && trace.requestId !== undefined && trace.code === undefined) trace.onSettled = close;
    else close();
  });
  return trace;
}
