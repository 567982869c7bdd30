import { z } from "zod";
import { type RandomSource, secureRandom } from "../account/api-key.js";
import { type AsOf, toAsOf } from "../client/client-options.js";
import type { LakeClient } from "../client/open-lake.js";
import { systemClock } from "../clock.js";
import { ruleText } from "../contract/rule-text.js";
import type { Embedder } from "../search/embed/embedder.js";
import { asOfMsOf } from "../service/as-of-rule.js";
import { ConsoleError, errorResponse } from "./console-error.js";
import { CONSOLE_DEFAULTS, CONSOLE_LAKE_HEADER, CONSOLE_PATHS } from "./defaults.js";
import { Jobs } from "./jobs.js";
import { LakeFacts } from "./lake-facts.js";
import { LocalCalls } from "./local-calls.js";
import type { ConsoleContext, Route } from "./route.js";
import { ROUTES } from "./routes.js";
import { foreignOrigin } from "./same-origin.js";
import { cookieName, cookieOf, Sessions } from "./sessions.js";
import { SAFE_HEADERS, Shell } from "./shell.js";
import { SqlResults } from "./sql-results.js";

/** Options of {@link createConsole}. */
export interface ConsoleOptions {
  readonly lake: LakeClient;
  /** Version of the package, to be shown. */
  readonly version: string;
  /** What `freshness` is measured from, as `openLake` takes it. Default: `corpus`. */
  readonly asOf?: AsOf | undefined;
  /** Whether slices may be pulled and installed. Default: true. */
  readonly writable?: boolean;
  /** Embedder that the lake was opened with: what is pulled and installed needs it too. */
  readonly embedder?: Embedder | undefined;
  /** Folder of the built browser app. */
  readonly assets?: URL;
  readonly random?: RandomSource;
  /** Called with an unexpected error. */
  readonly onError?: (error: unknown) => void;
}

/** The web console as a function from requests to responses. */
export interface Console {
  /** What a page needs to open a session; printed, never served. */
  readonly token: string;
  readonly fetch: (request: Request) => Promise<Response>;
  /** Ends running jobs. */
  close(): Promise<void>;
}

const APP = new URL("./app/", import.meta.url);
const Token = z.strictObject({ token: z.string().min(1).max(200) });

/**
 * Creates the web console of a lake: the page at `/` and `/console/`, its files, and the API that it calls. Anyone who has a session is the
 * lake's administrator. What the console asks of the lake is no call of the service: it costs nothing and is not in the ledger
 * (decisions.md, "Console").
 */
export function createConsole(options: ConsoleOptions): Console {
  const { lake, version, writable = true, embedder } = options;
  const random = options.random ?? secureRandom;
  const sessions = new Sessions(random);
  const shell = new Shell(options.assets ?? APP);
  const jobs = new Jobs();
  const rule = toAsOf(options.asOf ?? "corpus");
  const asOf = { rule, ms: () => asOfMsOf(rule, lake.lake.corpus, systemClock) };
  const calls = new LocalCalls(lake, rule);
  const [facts, results] = [new LakeFacts(lake), new SqlResults(random)];
  const shared = { lake, version, writable, embedder, jobs, calls, asOf, facts, results };
  const report = options.onError ?? (() => {});

  async function answer(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const { pathname } = url;
    if (pathname.startsWith(CONSOLE_PATHS.api)) {
      const response = await api(request, url).catch((error: unknown) => {
        if (request.signal.aborted) return new Response(null, { status: 499 });
        return errorResponse(error, report);
      });
      for (const [name, value] of Object.entries(SAFE_HEADERS)) response.headers.set(name, value);
      response.headers.set("Cache-Control", "no-store");
      if (response.ok) response.headers.set(CONSOLE_LAKE_HEADER, facts.now());
      response.headers.set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; sandbox");
      return response;
    }
    if (request.method !== "GET" && request.method !== "HEAD")
      return Response.json(
        { detail: "Method Not Allowed" },
        { status: 405, headers: { Allow: "GET, HEAD" } },
      );
    return pathname.startsWith(CONSOLE_PATHS.assets)
      ? shell.asset(pathname, request.headers.get("accept-encoding"))
      : shell.document(pathname);
  }

  async function api(request: Request, url: URL): Promise<Response> {
    const why = foreignOrigin(request, url);
    if (why !== undefined) throw new ConsoleError(403, "console_foreign_origin", `Refused: ${why}`);
    const path = url.pathname.slice(CONSOLE_PATHS.api.length);
    if (path === "session") return session(request, url);
    const secret = cookieOf(request, cookieName(url));
    if (!sessions.has(secret)) throw NO_SESSION;
    const route = ROUTES.find((each) => each.path === path);
    if (route === undefined) throw new ConsoleError(404, "not_found", "There is no such part of the console");
    if (route.method !== request.method)
      throw new ConsoleError(405, "method_not_allowed", `Only ${route.method} is accepted`);
    const params = await readParams(route, request, url);
    const context: ConsoleContext = { ...shared, signal: request.signal };
    const result = await route.answer(params, context);
    return result instanceof Response ? result : Response.json(result ?? null);
  }

  async function session(request: Request, url: URL): Promise<Response> {
    const name = cookieName(url);
    // Without a path a cookie is for where it was set (RFC 6265 section 5.1.4), which a proxy may have below a path of its own.
    const attributes = "HttpOnly; SameSite=Strict";
    if (request.method === "DELETE") {
      sessions.close(cookieOf(request, name) ?? "");
      return new Response(null, {
        status: 204,
        headers: { "Set-Cookie": `${name}=; ${attributes}; Max-Age=0` },
      });
    }
    if (request.method !== "POST") throw new ConsoleError(405, "method_not_allowed", "Only POST is accepted");
    const { token } = checked(Token, await jsonOf(request));
    const secret = sessions.open(token);
    if (secret === undefined)
      throw new ConsoleError(
        401,
        "console_token",
        "This token is not that of the running server",
        "Open the address that `mirrorlake serve` printed when it started.",
      );
    return new Response(null, {
      status: 204,
      headers: { "Set-Cookie": `${name}=${secret}; ${attributes}` },
    });
  }

  return { token: sessions.token, fetch: answer, close: () => jobs.close().finally(() => calls.close()) };
}

const NO_SESSION = new ConsoleError(
  401,
  "console_session",
  "This browser has no session of the console",
  "Open the address that `mirrorlake serve` printed when it started.",
);

async function readParams(route: Route, request: Request, url: URL): Promise<Record<string, unknown>> {
  return checked(
    route.params,
    route.method === "GET" ? Object.fromEntries(url.searchParams) : await jsonOf(request),
  );
}

function checked<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new ConsoleError(400, "invalid_params", ruleText(parsed.error.issues));
}

/** Reads a JSON body of a limited size. Another media type is refused: only it makes browsers ask before they send it to another site. */
async function jsonOf(request: Request): Promise<unknown> {
  if (request.headers.get("content-type")?.split(";")[0]?.trim() !== "application/json")
    throw new ConsoleError(415, "invalid_params", "The body must be application/json");
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > CONSOLE_DEFAULTS.maxBodyBytes)
      throw new ConsoleError(413, "invalid_params", "The body is too large");
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    throw new ConsoleError(400, "invalid_params", "The body must be JSON");
  }
}
