import type { Agent, ClientRequest, IncomingMessage, OutgoingHttpHeaders } from "node:http";
import { pipeline, type Readable } from "node:stream";
import { clearTimeout, setTimeout } from "node:timers";
import { createBrotliDecompress, createUnzip } from "node:zlib";
import { NETWORK_DEFAULTS } from "./defaults.js";
import type { HttpProxy } from "./proxy.js";

/** Statuses whose answers have no body (Fetch, "null body status"). */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * Sends one request, without following redirects.
 * @param proxy what to ask for an address without encryption; with encryption `agent` makes a tunnel through it
 * @throws TypeError with a cause when there is no answer; the signal's reason
 */
export async function sendOnce(
  url: URL,
  init: RequestInit & { readonly headers: Headers },
  agent: Agent,
  proxy?: HttpProxy,
): Promise<Response> {
  // The module's own object: what stands in for the network in tests replaces its `request`, not that of the namespace.
  const { default: sender } =
    url.protocol === "https:" ? await import("node:https") : await import("node:http");
  const { method = "GET", body = null, signal } = init;
  if (body !== null && typeof body !== "string") throw new TypeError("only text can be sent");
  signal?.throwIfAborted();
  const headers: OutgoingHttpHeaders = {
    accept: "*/*",
    "accept-encoding": "gzip, deflate, br",
    "user-agent": "mirrorlake",
    ...Object.fromEntries(init.headers),
  };
  return new Promise((resolve, reject) => {
    const sent =
      proxy === undefined || url.protocol === "https:"
        ? sender.request(url, { method, headers, agent })
        : sender.request(proxy.address, {
            method,
            headers: forProxy(url, headers, proxy),
            agent,
            ...whole(url),
          });
    const abort = () => sent.destroy(signal?.reason);
    signal?.addEventListener("abort", abort, { once: true });
    sent.once("close", () => signal?.removeEventListener("abort", abort));
    limitConnecting(sent);
    sent.on("error", (cause) => {
      reject(signal?.aborted === true ? signal.reason : new TypeError("fetch failed", { cause }));
    });
    // An answer that changes the protocol was not asked for.
    sent.once("upgrade", (_answer, socket) => {
      socket.destroy();
      reject(new TypeError("fetch failed", { cause: new Error("it switches to another protocol") }));
    });
    sent.once("response", (answer) => {
      try {
        resolve(toResponse(url, answer, sent));
      } catch (cause) {
        sent.destroy();
        reject(new TypeError("fetch failed", { cause }));
      }
    });
    sent.end(body ?? undefined);
  });
}

/** Headers of a request that a proxy passes on. */
function forProxy(url: URL, headers: OutgoingHttpHeaders, { authorization }: HttpProxy): OutgoingHttpHeaders {
  const host = { host: url.host, ...headers };
  return authorization === undefined ? host : { ...host, "proxy-authorization": authorization };
}

/** The whole address as the path, which a proxy is asked for (RFC 9112 section 3.2.2), and its user, if it has one. */
function whole({ origin, pathname, search, username, password }: URL) {
  const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { path: `${origin}${pathname}${search}`, auth: user === ":" ? undefined : user };
}

/** Gives a connection up that is not made in time. */
function limitConnecting(sent: ClientRequest): void {
  sent.once("socket", (socket) => {
    if (!socket.connecting) return;
    const { connectMs } = NETWORK_DEFAULTS;
    const timer = setTimeout(() => {
      sent.destroy(
        Object.assign(new Error(`no connection within ${connectMs} ms`), { code: "ECONNTIMEOUT" }),
      );
    }, connectMs);
    socket.once("connect", () => clearTimeout(timer));
    sent.once("close", () => clearTimeout(timer));
  });
}

function toResponse(url: URL, answer: IncomingMessage, sent: ClientRequest): Response {
  const { statusCode: status = 0, rawHeaders } = answer;
  const headers = new Headers();
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) headers.append(rawHeaders[i]!, rawHeaders[i + 1]!);
  const body = WITHOUT_BODY.has(status) ? null : toStream(decoded(answer, headers), sent);
  if (body === null) answer.resume();
  const response = new Response(body, { status, headers });
  Object.defineProperty(response, "url", { value: url.href });
  return response;
}

/** The body without its encoding: none or one, since each costs memory before a byte is read. */
function decoded(answer: IncomingMessage, headers: Headers): Readable {
  const codings = (headers.get("content-encoding") ?? "")
    .split(",")
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== "" && coding !== "identity");
  const [coding = "identity", ...more] = codings;
  if (coding === "identity") return answer;
  const decoder = /^(x-)?gzip$|^deflate$/.test(coding)
    ? createUnzip()
    : coding === "br"
      ? createBrotliDecompress()
      : undefined;
  if (decoder === undefined || more.length > 0)
    throw new Error(`its body is encoded in an unknown way: ${codings.join(", ").slice(0, 100)}`);
  // The reader of the decoder learns of errors; no one else has to.
  return pipeline(answer, decoder, () => undefined);
}

/** A body as a stream that is read no faster than its reader, in pieces that take in what has come meanwhile. */
function toStream(body: Readable, sent: ClientRequest): ReadableStream<Uint8Array> {
  const pieces: AsyncIterator<Uint8Array> = body[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          const { done, value } = await pieces.next();
          if (done === true) controller.close();
          else controller.enqueue(value);
        } catch (cause) {
          throw new TypeError("terminated", { cause });
        }
      },
      cancel: () => void sent.destroy(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: NETWORK_DEFAULTS.pieceBytes }),
  );
}
