import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { UsageError } from "../contract/errors.js";
import { SERVER_DEFAULTS } from "./defaults.js";
import { endIfUnread } from "./end-if-unread.js";
import { isOwnHost } from "./host-check.js";
import type { RunningServer } from "./server.js";

/** Options of {@link startFetchServer}. */
export interface FetchServerOptions {
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  /** Called with what prevented an answer. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/**
 * Serves what a function like `fetch` answers over HTTP/1.1, on loopback by default: a proxy, or a replay. A failure of the function
 * is a 502 with its message.
 * @throws UsageError `cannot_listen`
 */
export async function startFetchServer(
  answer: (request: Request) => Promise<Response>,
  options: FetchServerOptions = {},
): Promise<RunningServer> {
  const { host = SERVER_DEFAULTS.host, port = SERVER_DEFAULTS.port, onError } = options;
  const listener = getRequestListener(
    async (request, { incoming, outgoing }) => {
      if (!isOwnHost(request.headers.get("host") ?? undefined, new Set())) {
        endIfUnread(incoming, outgoing);
        return Response.json({ detail: "Misdirected Request" }, { status: 421 });
      }
      try {
        return await answer(await wholeRequest(request));
      } catch (error) {
        onError?.(error);
        const { message, code } = error as { message: string; code?: string };
        const status = code === "replay_miss" || code === "cassette_expired" ? 501 : 502;
        return Response.json({ detail: message }, { status });
      }
    },
    { overrideGlobalObjects: false },
  );
  const server = createServer({ headersTimeout: SERVER_DEFAULTS.headersTimeoutMs }, listener);
  const address = await new Promise<AddressInfo>((resolve, reject) => {
    server.once("error", (cause) => reject(cannotListen(host, port, cause)));
    server.listen({ host, port }, () => resolve(server.address() as AddressInfo));
  });
  return {
    url: `http://${address.family === "IPv6" ? `[${address.address}]` : address.address}:${address.port}`,
    host: address.address,
    port: address.port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A request of Node's own class, which the server's is not, with its body read. */
async function wholeRequest(request: Request): Promise<Request> {
  const { url, method, headers, signal } = request;
  const bytes = await request.arrayBuffer();
  return new Request(url, { method, headers, signal, body: bytes.byteLength === 0 ? undefined : bytes });
}

function cannotListen(host: string, port: number, cause: Error): UsageError {
  return new UsageError("cannot_listen", `Cannot listen on ${host}:${port}: ${cause.message}`, {
    value: `${host}:${port}`,
    remedy: "Give an address of this machine and a free port; 0 takes any.",
    cause,
  });
}
