import { randomUUID } from "node:crypto";
import { createMcpHandler, INVALID_REQUEST, McpServer, type Server } from "@modelcontextprotocol/server";
import type { Account } from "../account/account.js";
import { createCalls } from "../client/client.js";
import type { LakeQueries } from "../client/lake-queries.js";
import { createLocalTransport } from "../client/local-transport.js";
import { apiKeyFrom, keyHint } from "../service/api-key-header.js";
import type { Service } from "../service/pipeline.js";
import { isEncoded } from "../service/read-params.js";
import type { ToolClient } from "../tools/tool.js";
import { type ToolsOptions, tools } from "../tools/tools.js";
import { answerBatch, batchProblem, isServedBatch } from "./batch.js";
import { MCP_DEFAULTS } from "./defaults.js";
import { createMcpServer, type McpOffer } from "./mcp-server.js";
import { type RequestName, RunningRequests } from "./running-requests.js";
import { sentMessage, sentValue } from "./sent-message.js";

const SESSION_HEADER = "Mcp-Session-Id";
const VERSION_HEADER = "MCP-Protocol-Version";

/** What the endpoint serves, and to whom. */
export interface McpEndpointOptions extends Pick<McpOffer, "version" | "onError"> {
  readonly service: Service;
  readonly account: Pick<Account, "authenticate" | "permits">;
  /** The queries of the lake, for keys with the scope `*`; none by default. */
  readonly sqlStream?: LakeQueries["sqlStream"];
  /** Origins of pages that may call, as of CORS; besides, only those of this machine. */
  readonly origins?: "*" | readonly string[] | undefined;
  readonly tools?: ToolsOptions | undefined;
  /** Creates the server of one request; tests of the transport give another. */
  readonly createServer?: (offer: McpOffer) => Server | McpServer;
  /** Makes ids of sessions, which cannot be guessed; random UUIDs by default. */
  readonly newSessionId?: () => string;
}

/** What a server of one request is made of. */
interface RequestExtra {
  readonly client: ToolClient;
  /** Absent if nothing but the end of its connection cancels the request. */
  readonly name: RequestName | undefined;
}

/** The server of the Model Context Protocol as a function from requests to responses. */
export interface McpEndpoint {
  readonly fetch: (request: Request) => Promise<Response>;
  /** Ends running requests. */
  close(): Promise<void>;
}

/**
 * Creates the endpoint of Streamable HTTP. Each request is on its own: it carries a key of the account, whose scopes hold as for every
 * call. SQL needs the scope `*`, because it reads all of a lake. A page's `Origin` has to be allowed, against
 * requests of foreign pages to a server on this machine; the server checks `Host`.
 *
 * A call ends with its connection. A client of versions before 2026-07-28 keeps that open, and cancels a call by a request of its own: the id of
 * the session that it got tells its calls from those of others with the same key. No other state belongs to a session. Versions before 2025-06-18
 * have batches, whose messages are answered each on its own.
 */
export function createMcpEndpoint(options: McpEndpointOptions): McpEndpoint {
  const { service, account, origins, onError } = options;
  const { createServer = createMcpServer, newSessionId = randomUUID } = options;
  const running = new RunningRequests();
  const handler = createMcpHandler(
    ({ authInfo }) => {
      const { client, name } = authInfo!.extra as unknown as RequestExtra;
      const server = createServer({ ...options, client, tools: tools(client, options.tools) });
      if (name !== undefined)
        (server instanceof McpServer ? server.server : server).onclose = running.begin(name, server);
      return server;
    },
    { onerror: onError, maxRequestBodySize: MCP_DEFAULTS.maxRequestBytes },
  );
  return {
    close: handler.close,
    fetch: async (request) => {
      const { headers } = request;
      if (!isAllowedOrigin(headers.get("origin"), origins)) return refusal(403, "Origin not allowed");
      const key = apiKeyFrom(headers.get("authorization"), headers.get("x-api-key"));
      const principal = await account.authenticate(key);
      if (key === undefined || principal === undefined) {
        const hint = keyHint(key);
        return refusal(401, hint === undefined ? "Invalid API key" : `Invalid API key: ${hint}`);
      }
      if (isEncoded(headers.get("content-encoding") ?? ""))
        return refusal(
          415,
          "Unsupported Media Type: a body must not have a Content-Encoding",
          INVALID_REQUEST,
        );
      const all = account.permits(principal, "*");
      const client: ToolClient = {
        ...createCalls(service.catalogue, createLocalTransport(service, key)),
        catalogue: service.catalogue,
        ...(all && options.sqlStream !== undefined ? { sqlStream: options.sqlStream } : {}),
      };
      const { keyId } = principal;
      const session = headers.get(SESSION_HEADER);
      const answer = async (one: Request, message: unknown): Promise<Response> => {
        const { begins, id, cancels } = sentMessage(message);
        if (session !== null && cancels !== undefined) await running.cancel({ keyId, session, id: cancels });
        const extra: RequestExtra = {
          client,
          name: session === null || id === undefined ? undefined : { keyId, session, id },
        };
        const authInfo = {
          token: key,
          clientId: keyId,
          scopes: [...principal.scopes],
          extra: { ...extra },
        };
        const response = await handler.fetch(one, { authInfo });
        if (begins && response.ok) response.headers.set(SESSION_HEADER, newSessionId());
        return response;
      };
      const value = await sentValue(request);
      const problem = Array.isArray(value) ? batchProblem(headers.get(VERSION_HEADER)) : undefined;
      if (problem !== undefined) return refusal(400, problem, INVALID_REQUEST);
      return isServedBatch(value) ? answerBatch(value, request, answer) : answer(request, value);
    },
  };
}

/** Whether a page of this origin may call: one of this machine, or an allowed one. Programs send none. */
function isAllowedOrigin(origin: string | null, allowed: McpEndpointOptions["origins"]): boolean {
  if (origin === null || allowed === "*" || allowed?.includes(origin) === true) return true;
  const host = URL.canParse(origin) ? new URL(origin).hostname : undefined;
  return host !== undefined && ["localhost", "127.0.0.1", "[::1]"].includes(host);
}

function refusal(status: 400 | 401 | 403 | 415, message: string, code = -32_000): Response {
  const error = { code, message };
  return Response.json(
    { jsonrpc: "2.0", id: null, error },
    { status, headers: status === 401 ? { "WWW-Authenticate": 'Bearer realm="mirrorlake"' } : {} },
  );
}
