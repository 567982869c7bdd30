import type { Agent } from "node:http";
import { NETWORK_DEFAULTS } from "./defaults.js";
import type { HttpProxy, Variables } from "./proxy.js";

/** Sends a request: `fetch`, or the part of it that {@link createSender} has. */
export type SendRequest = (url: string, init: RequestInit) => Promise<Response>;

/** Headers that go on to another origin when a request is redirected there. */
const TRAVELLING: ReadonlySet<string> = new Set([
  ...["accept", "accept-encoding", "accept-language", "range", "user-agent"],
  ...["if-match", "if-none-match", "if-modified-since", "if-range"],
]);
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Creates a function like `fetch` over HTTP/1.1 that survives hostile servers. `fetch` of Node 20, 22 and 25 does not: an
 * answer in six encodings whose connection is then reset ends the process by an uncaught exception, and nothing can close
 * that connection before. It takes a method, headers, a text as body, a signal and `redirect`, which only a GET follows;
 * connections are kept for the next request for a moment. Like `fetch` it rejects with a TypeError whose cause says what happened.
 * @param variables name the proxies to use: `https_proxy`, `http_proxy`, `no_proxy`, or the same in capitals; default: those of the process, as they are at each request
 */
export function createSender(variables: Variables = process.env): SendRequest {
  const agents = new Map<string, Promise<Agent>>();
  const agentFor = (protocol: string, proxy: HttpProxy | undefined) => {
    const key = `${protocol} ${proxy?.authorization} ${proxy?.address.href}`;
    const agent = agents.get(key) ?? createAgent(protocol, proxy);
    agents.set(key, agent);
    return agent;
  };
  const send = async (url: URL, init: RequestInit & { readonly headers: Headers }) => {
    // Loaded for the first request: with what decompresses it is a megabyte.
    const [{ sendOnce }, { proxyOf }] = await Promise.all([import("./send-once.js"), import("./proxy.js")]);
    let proxy: HttpProxy | undefined;
    try {
      proxy = proxyOf(url, variables);
      return await sendOnce(url, init, await agentFor(url.protocol, proxy), proxy);
    } catch (error) {
      if (init.signal?.aborted === true) throw error;
      if (proxy === undefined) throw error instanceof TypeError ? error : failed(error);
      throw throughProxy(error, proxy);
    }
  };
  return async (given, init) => {
    const headers = new Headers(init.headers);
    let url = new URL(given);
    for (let hops = 0; ; hops++) {
      const response = await send(url, { ...init, headers });
      if (!REDIRECTS.has(response.status) || init.redirect === "manual") return response;
      const next = hopAfter(
        url,
        response,
        init.redirect === "error" ? 0 : NETWORK_DEFAULTS.maxRedirects - hops,
      );
      await response.body?.cancel();
      // Credentials are for the server that they were given for, whatever their header is called.
      if (next.origin !== url.origin)
        for (const name of [...headers.keys()]) if (!TRAVELLING.has(name)) headers.delete(name);
      url = next;
    }
  };
}

async function createAgent(protocol: string, proxy: HttpProxy | undefined): Promise<Agent> {
  const options = { keepAlive: true, timeout: NETWORK_DEFAULTS.idleConnectionMs };
  if (proxy !== undefined && protocol === "https:") {
    const { TunnelAgent } = await import("./tunnel-agent.js");
    return new TunnelAgent(proxy, options);
  }
  const { Agent: Connections } =
    protocol === "https:" ? await import("node:https") : await import("node:http");
  return new Connections(options);
}

function failed(cause: unknown): TypeError {
  return new TypeError("fetch failed", { cause });
}

/** The same failure, with the proxy's address before its reason. */
function throughProxy(error: unknown, { address }: HttpProxy): TypeError {
  const { message, code } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
  const named = new Error(`through the proxy ${address.origin}: ${message}`, { cause: error });
  return failed(code === undefined ? named : Object.assign(named, { code }));
}

/** The place that a redirect leads to. */
function hopAfter(from: URL, response: Response, left: number): URL {
  const to = response.headers.get("location") ?? "";
  const next = URL.canParse(to, from.href) ? new URL(to, from.href) : undefined;
  const fault =
    left < 1
      ? "it redirects, and may not"
      : next === undefined || !/^https?:$/.test(next.protocol)
        ? "it redirects to no address"
        : undefined;
  if (next !== undefined && fault === undefined) return next;
  response.body?.cancel().catch(() => undefined);
  throw new TypeError("fetch failed", { cause: new Error(fault) });
}
