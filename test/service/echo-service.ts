import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { Account } from "../../src/account/account.js";
import type { AccountOptions } from "../../src/account/account-options.js";
import { EndpointCaps } from "../../src/account/endpoint-caps.js";
import { openMemoryAccount } from "../../src/account/open-memory-account.js";
import { defineEndpoint, type EndpointSpec } from "../../src/contract/service/endpoint.js";
import type { Handler, HandlerContext } from "../../src/endpoints/handler.js";
import { createService, type LakeView, type Service } from "../../src/service/pipeline.js";

const common = { group: "g", scope: "search", price: "0.010000", summary: "", data: z.json() } as const;

/** Two endpoints that answer what they are told: `say` in a body, `say` in a query. */
export const ECHO_CATALOGUE: readonly EndpointSpec[] = [
  defineEndpoint({
    ...common,
    id: "echo",
    method: "POST",
    path: "/v1/echo",
    operation: "echo",
    capPerSecond: 1_000_000,
    params: z.strictObject({ say: z.json() }),
  }),
  defineEndpoint({
    ...common,
    id: "ask",
    method: "GET",
    path: "/v1/ask",
    operation: "echo",
    capPerSecond: 1_000_000,
    params: z.strictObject({ say: z.string(), cursor: z.number().optional() }),
  }),
];

/** A service over no lake, for tests of transports: what is said is answered; a function is called first. */
export interface EchoService {
  readonly service: Service;
  readonly account: Account;
  readonly apiKey: string;
  /** What was thrown behind a 500 or 503. */
  readonly errors: unknown[];
}

export function echoService(
  answer: (say: unknown, context: HandlerContext) => unknown = (say) => say,
  accountOptions: AccountOptions = {},
  ids: () => string = randomUUID,
): EchoService {
  const account = openMemoryAccount({ limits: "off", ...accountOptions });
  const errors: unknown[] = [];
  const echo: Handler<{ say: unknown }> = async ({ say }, context) => {
    const data = await answer(say, context);
    return { data, empty: data === null };
  };
  const service = createService({
    lake: { use: (work) => work({ corpus: { asOfMs: 0 }, index: {} } as LakeView) },
    account,
    caps: new EndpointCaps(),
    catalogue: ECHO_CATALOGUE,
    handlers: { echo: echo as Handler },
    clock: { now: Date.now },
    asOf: "corpus",
    ids,
    onError: (error) => errors.push(error),
  });
  return { service, account, apiKey: account.sessionKey(["*"]), errors };
}
