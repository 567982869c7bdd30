import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { splitTarget } from "./api-listener.js";
import { OPERATIONS_DEFAULTS, SERVER_DEFAULTS } from "./defaults.js";
import { allowedHostNames, isOwnHost } from "./host-check.js";
import { type Listening, type ListenOptions, listen } from "./listen.js";
import { answerProbe, isProbe, refuseWrite, sendJson } from "./probes.js";
import type { Readiness } from "./readiness.js";

/** Where metrics are read. */
const METRICS_PATH = "/metrics";

/** Options of {@link startOperations}. */
export interface OperationsOptions extends ListenOptions {
  /** Allowed host names, in addition to localhost and IP literals. */
  readonly allowedHosts?: readonly string[] | undefined;
  readonly readiness: Readiness;
  /** The metrics as text, and its media type. */
  readonly metrics: () => Promise<{ readonly text: string; readonly mediaType: string }>;
  /** Called with an exception that prevented a response. */
  readonly onError?: (error: unknown) => void;
}

/** A listening server for those who operate it. */
export interface OperationsServer extends Listening {
  close(): Promise<void>;
}

/**
 * Serves `/metrics`, `/healthz` and `/readyz`, with reasons, on a port of their own, which callers of the API need not reach.
 * @throws UsageError `port_in_use`, `cannot_listen`
 */
export async function startOperations(options: OperationsOptions): Promise<OperationsServer> {
  const allowed = allowedHostNames(options.allowedHosts);
  const server = createServer(
    {
      headersTimeout: SERVER_DEFAULTS.headersTimeoutMs,
      requestTimeout: SERVER_DEFAULTS.requestTimeoutMs,
      maxHeaderSize: OPERATIONS_DEFAULTS.maxHeaderBytes,
    },
    (incoming, outgoing) => answer(incoming, outgoing, allowed, options),
  );
  server.maxConnections = OPERATIONS_DEFAULTS.maxConnections;
  const listening = await listen(server, options);
  return {
    ...listening,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function answer(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  allowed: ReadonlySet<string>,
  { readiness, metrics, onError }: OperationsOptions,
): void {
  incoming.resume();
  const { path } = splitTarget(incoming.url ?? "/");
  if (!isOwnHost(incoming.headers.host, allowed)) sendJson(outgoing, 421, { detail: "Misdirected Request" });
  else if (!isProbe(path) && path !== METRICS_PATH) sendJson(outgoing, 404, { detail: "Not Found" });
  else if (refuseWrite(incoming, outgoing)) return;
  else if (isProbe(path)) answerProbe(readiness, path, outgoing, true);
  else
    metrics().then(
      ({ text, mediaType }) => {
        outgoing.writeHead(200, {
          "Content-Type": mediaType,
          "Content-Length": Buffer.byteLength(text),
          "Cache-Control": "no-store",
        });
        outgoing.end(text);
      },
      (error: unknown) => {
        onError?.(error);
        outgoing.destroy();
      },
    );
}
