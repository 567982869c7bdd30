import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import { clearInterval, clearTimeout, setInterval, setTimeout } from "node:timers";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import { z } from "zod";
import type { SliceFiles } from "../client/files/slice-files.js";
import { checkArgument, checkOptions, optionsSchema } from "../contract/check-options.js";
import { CallbackOption, CountOption, objectOption, TextOption } from "../contract/option-schemas.js";
import { DATASETS_PATH } from "../contract/slice/dataset-paths.js";
import { guardHook } from "../service/guard-hook.js";
import { JsonBodyWriter } from "../service/json-body.js";
import type { Service } from "../service/pipeline.js";
import { allowedOrigins, type CorsOrigins, originProblem } from "./allowed-origins.js";
import { createApiListener, splitTarget } from "./api-listener.js";
import { applyCors } from "./cors.js";
import { SERVER_DEFAULTS } from "./defaults.js";
import { createDocsSite } from "./docs-site.js";
import { endIfUnread } from "./end-if-unread.js";
import { endWithBody } from "./end-with-body.js";
import { createFilesListener } from "./files-listener.js";
import { allowedHostNames, hostProblem, isOwnHost } from "./host-check.js";
import { inTurn, type RequestListener } from "./in-turn.js";
import { listen } from "./listen.js";
import { type EndedRequest, observeRequest } from "./observe-request.js";
import { answerProbe, isProbe, refuseWrite } from "./probes.js";
import { Readiness } from "./readiness.js";

/** Options of {@link startServer}; defaults are in {@link SERVER_DEFAULTS}. */
export interface ServerOptions {
  /** Address to listen on; loopback by default. */
  readonly host?: string;
  /** Port to listen on; any free one by default. */
  readonly port?: number;
  /** Allowed host names, without port, in addition to localhost and IP literals. */
  readonly allowedHosts?: readonly string[];
  /** Origins allowed by CORS, as browsers send them: `http://localhost:5173`; none by default. */
  readonly cors?: CorsOrigins;
  /** Additional routes beside `/v1` and the documentation. An unknown path is a 404. */
  readonly site?: Hono;
  /** Answers requests to `/mcp`, such as the Model Context Protocol; none by default. */
  readonly mcp?: (request: Request) => Promise<Response>;
  /** Answers requests to `/` and below `/console/`: the web console; none by default. */
  readonly console?: (request: Request) => Promise<Response>;
  /** Files of the lake's slices, served under `/datasets/`: `sliceFiles(lake)`. None by default. */
  readonly files?: SliceFiles;
  /** Limits for slow clients, ms. */
  readonly headersTimeoutMs?: number;
  readonly requestTimeoutMs?: number;
  readonly idleTimeoutMs?: number;
  /**
   * Time that an idle connection is kept for the next request, ms; default 5 s. Behind a load balancer it should be longer than that of
   * the balancer, which otherwise may send a request into a connection that closes.
   */
  readonly keepAliveTimeoutMs?: number;
  /**
   * Called with an exception that prevented a response, and with what `onRequest` throws. What it throws itself, or rejects with, is a
   * warning of the process, with the code `hook_failed`.
   */
  readonly onError?: (error: unknown) => void;
  /** Answers `/healthz` and `/readyz`, without reasons; while it drains, every answer ends its connection. None by default. */
  readonly readiness?: Readiness | undefined;
  /** Called when a request was answered, or its connection ended before. What it throws goes to `onError`. */
  readonly onRequest?: ((request: EndedRequest) => void) | undefined;
}

/** A listening server. */
export interface RunningServer {
  /** Base URL, without trailing slash: `http://127.0.0.1:8080`. */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  /** Refuses new connections, waits up to `graceMs` for running calls, then closes the remaining connections. */
  close(graceMs?: number): Promise<void>;
}

/** A listening server of a service. */
export interface ServiceServer extends RunningServer {
  /** Figures of the server as they are now. */
  measure(): Promise<ServerMeasures>;
}

/** Figures of a server. */
export interface ServerMeasures {
  /** Open connections. */
  readonly connections: number;
  /** Vectors of answers whose JSON text was kept from an earlier answer, and those whose text was written. */
  readonly vectorTexts: { readonly kept: number; readonly written: number };
}

/** Text that a request can match: none in which a problem is found. */
function matchable(problemOf: (text: string) => string | undefined) {
  return z.string().superRefine((text, context) => {
    const message = problemOf(text);
    if (message !== undefined) context.addIssue({ code: "custom", message });
  });
}

const OPTIONS = optionsSchema<ServerOptions>(() => ({
  host: TextOption.optional(),
  port: z.number().int().min(0).max(65_535).optional(),
  allowedHosts: z.array(matchable(hostProblem)).optional(),
  cors: z
    .union([z.literal("*"), z.array(matchable(originProblem))], 'must be "*" or an array of origins')
    .optional(),
  site: objectOption<Hono>(["fetch", "route"], "a Hono application").optional(),
  mcp: CallbackOption.optional(),
  console: CallbackOption.optional(),
  files: objectOption<SliceFiles>(["authorize", "find"], "files of slices: sliceFiles(lake)").optional(),
  headersTimeoutMs: CountOption.optional(),
  requestTimeoutMs: CountOption.optional(),
  idleTimeoutMs: CountOption.optional(),
  keepAliveTimeoutMs: CountOption.optional(),
  onError: CallbackOption.optional(),
  readiness: z.instanceof(Readiness).optional(),
  onRequest: CallbackOption.optional(),
}));

// A client has a `call` too, of other parameters.
const ServiceOption = objectOption<Service>(["call"], "a service: the member service of an open lake").refine(
  (value) => !("search" in value),
  "must be a service: the member service of an open lake",
);

/**
 * Serves the service over HTTP/1.1: `/v1` is the service, `/openapi.json` and `/docs` its documentation, `/datasets/` the
 * files of slices; the `site` handles other paths.
 * @throws UsageError `invalid_argument`, `invalid_options`, `port_in_use`, `cannot_listen`
 */
export async function startServer(service: Service, options: ServerOptions = {}): Promise<ServiceServer> {
  checkArgument(ServiceOption, service, "service", "startServer");
  checkOptions(OPTIONS, options, "startServer");
  const writer = new JsonBodyWriter();
  const answering = new Set<ServerResponse>();
  const listener = createListener(service, writer, options);
  const server = createServer(
    {
      headersTimeout: options.headersTimeoutMs ?? SERVER_DEFAULTS.headersTimeoutMs,
      requestTimeout: options.requestTimeoutMs ?? SERVER_DEFAULTS.requestTimeoutMs,
      connectionsCheckingInterval: SERVER_DEFAULTS.timeoutCheckMs,
      keepAliveTimeout: options.keepAliveTimeoutMs ?? SERVER_DEFAULTS.keepAliveTimeoutMs,
      maxHeaderSize: SERVER_DEFAULTS.maxHeaderBytes,
      noDelay: true,
    },
    inTurn((incoming, outgoing) => {
      answering.add(outgoing);
      outgoing.once("close", () => answering.delete(outgoing));
      listener(incoming, outgoing);
    }),
  );
  server.setTimeout(options.idleTimeoutMs ?? SERVER_DEFAULTS.idleTimeoutMs);
  return {
    ...(await listen(server, options)),
    close: async (graceMs = SERVER_DEFAULTS.shutdownGraceMs) => {
      checkArgument(CountOption, graceMs, "graceMs", "close");
      // Else the client sends its next call over a connection that is closed meanwhile, and cannot know whether it was charged.
      for (const outgoing of answering) if (!outgoing.headersSent) outgoing.setHeader("Connection", "close");
      await close(server, graceMs);
      // A server is closed before those who answer hear that their connections are.
      await Promise.all([...answering].map((outgoing) => once(outgoing, "close")));
    },
    measure: async () => ({
      connections: await new Promise((resolve, reject) =>
        server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
      ),
      vectorTexts: { kept: writer.hits, written: writer.misses },
    }),
  };
}

function createListener(service: Service, writer: JsonBodyWriter, options: ServerOptions): RequestListener {
  const allowed = allowedHostNames(options.allowedHosts);
  const onError = guardHook("onError", options.onError);
  const onRequest = guardHook("onRequest", options.onRequest, onError);
  const api = createApiListener(service, writer, onError);
  const pages = new Hono().notFound((context) => context.json({ detail: "Not Found" }, 404));
  const cors = options.cors === undefined ? undefined : allowedOrigins(options.cors);
  const { mcp, console: webConsole } = options;
  // Before the documentation, whose policy would replace that of the console's pages.
  if (webConsole !== undefined)
    for (const path of ["/", "/console", "/console/*"])
      pages.all(path, (context) => webConsole(context.req.raw));
  pages.route(
    "/",
    createDocsSite(() => service.catalogue),
  );
  if (mcp !== undefined)
    for (const path of ["/mcp", "/mcp/"]) pages.all(path, (context) => mcp(context.req.raw));
  if (options.site !== undefined) pages.route("/", options.site);
  const site = getRequestListener(
    async (request, { incoming, outgoing }) => {
      const response = await pages.fetch(request, { incoming, outgoing });
      endIfUnread(incoming, outgoing);
      return endWithBody(response, outgoing, onError);
    },
    { overrideGlobalObjects: false },
  );
  const files = options.files === undefined ? undefined : createFilesListener(options.files, onError);

  const { readiness } = options;
  return (incoming, outgoing) => {
    const { path } = splitTarget(incoming.url ?? "/");
    const trace = onRequest === undefined ? undefined : observeRequest(incoming, outgoing, path, onRequest);
    if (readiness?.state === "draining") outgoing.setHeader("Connection", "close");
    if (!isOwnHost(incoming.headers.host, allowed)) {
      detail(outgoing, 421, "Misdirected Request");
      return;
    }
    if (cors !== undefined && applyCors(incoming, outgoing, cors)) return;
    if (readiness !== undefined && isProbe(path)) {
      if (!refuseWrite(incoming, outgoing)) answerProbe(readiness, path, outgoing, false);
      return;
    }
    const answer =
      path === "/v1" || path.startsWith("/v1/")
        ? api
        : files !== undefined && path.startsWith(DATASETS_PATH)
          ? files
          : site;
    const answered = answer(incoming, outgoing, trace);
    Promise.resolve(answered).catch((error: unknown) => {
      onError?.(error);
      outgoing.destroy();
    });
  };
}

/** Sends an error that is not in the service's table, in the shape of its 405. */
function detail(outgoing: ServerResponse, status: number, message: string): void {
  const body = JSON.stringify({ detail: message });
  outgoing.writeHead(status, {
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(body),
    Connection: "close",
  });
  outgoing.end(body);
}

function close(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    // A connection becomes idle after its last answer, so idle connections are closed repeatedly.
    const idle = setInterval(() => server.closeIdleConnections(), SERVER_DEFAULTS.shutdownCheckMs);
    const cut = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearInterval(idle);
      clearTimeout(cut);
      resolve();
    });
    server.closeIdleConnections();
  });
}
