import { beforeEach, expect, test } from "vitest";
import { z } from "zod";
import type { Account } from "../../src/account/account.js";
import { EndpointCaps } from "../../src/account/endpoint-caps.js";
import { openMemoryAccount } from "../../src/account/open-memory-account.js";
import { ApiError, LakeError } from "../../src/contract/errors.js";
import { parseUsd } from "../../src/contract/money.js";
import { defineEndpoint, type EndpointSpec } from "../../src/contract/service/endpoint.js";
import type { Handler, HandlerContext } from "../../src/endpoints/handler.js";
import {
  createService,
  type Service,
  type ServiceRequest,
  type ServiceResponse,
} from "../../src/service/pipeline.js";
import { VirtualClock } from "../../src/virtual-clock.js";

const PRICE = "10.000000";
const common = { group: "g", scope: "search", price: PRICE, summary: "", data: z.json() } as const;
const catalogue: readonly EndpointSpec[] = [
  defineEndpoint({
    ...common,
    id: "echo",
    method: "POST",
    path: "/v1/echo",
    operation: "echo",
    capPerSecond: 3,
    params: z.strictObject({ say: z.string() }),
  }),
  defineEndpoint({
    ...common,
    id: "free",
    method: "GET",
    path: "/v1/free",
    operation: "echo",
    freeEligible: true,
    capPerSecond: 10_000,
    params: z.strictObject({ say: z.string().default("x") }),
  }),
];

const clock = new VirtualClock("2026-05-31T12:00:00Z");
const corpus = { asOfMs: 42 } as HandlerContext["corpus"];
const index = {} as HandlerContext["index"];
let account: Account;
let key: string;
let service: Service;
let contexts: HandlerContext[];
let logged: unknown[];
let ids: number;

const echo: Handler<{ say: string }> = async ({ say }, context) => {
  contexts.push(context);
  if (say === "boom") throw new TypeError("boom");
  if (say === "gone") throw new LakeError("row_store_unreadable", "gone", { remedy: "look" });
  if (say === "cursor") throw new ApiError("invalid_params", { message: "cursor: too far" });
  if (say === "slow")
    await new Promise((_resolve, reject) => context.signal?.addEventListener("abort", reject));
  return { data: say === "" ? null : { say }, empty: say === "", headers: { "X-Mirrorlake-Note": "n" } };
};

function build(
  asOf: "corpus" | "system" | number = "corpus",
  onError: (error: unknown) => unknown = (error) => logged.push(error),
  idsOf: () => unknown = () => `00000000-0000-4000-8000-${String(ids++).padStart(12, "0")}`,
): Service {
  return createService({
    lake: { use: (work) => work({ corpus, index }) },
    account,
    caps: new EndpointCaps(clock),
    catalogue,
    handlers: { echo: echo as Handler },
    clock,
    asOf,
    ids: idsOf as () => string,
    onError,
  });
}

beforeEach(() => {
  clock.set("2026-05-31T12:00:00Z");
  account = openMemoryAccount({ clock, openingBalance: parseUsd("25") });
  key = account.sessionKey(["search"]);
  contexts = [];
  logged = [];
  ids = 0;
  service = build();
});

const call = (over: Partial<ServiceRequest> = {}): Promise<ServiceResponse> =>
  service.call({ method: "POST", path: "/v1/echo", body: { say: "hi" }, apiKey: key, ...over });

const raise = (message: string): never => {
  throw new Error(message);
};

const codeOf = ({ body }: ServiceResponse) => (body as { error?: { code: string } }).error?.code;

test("a success has the envelope and the five headers, and is charged", async () => {
  const request_id = "00000000-0000-4000-8000-000000000000";
  expect(await call()).toEqual({
    status: 200,
    headers: {
      "X-Request-Id": request_id,
      "X-RateLimit-Limit": "60",
      "X-RateLimit-Remaining": "59",
      "X-Service-Charged": "10.000000",
      "X-Service-Balance": "15.000000",
      "X-Mirrorlake-Note": "n",
    },
    body: {
      request_id,
      data: { say: "hi" },
      meta: {
        billed: true,
        charged_usd: "10.000000",
        used_free_quota: false,
        free_quota_remaining: 1000,
        balance_usd: "15.000000",
        empty: false,
      },
    },
  });
});

test("an empty result is a 200 that is not charged", async () => {
  const { status, body } = await call({ body: { say: "" } });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    data: null,
    meta: { billed: false, charged_usd: "0.000000", balance_usd: "25.000000", empty: true },
  });
});

test("a call that the free quota covers is not billed", async () => {
  const { body } = await call({ method: "GET", path: "/v1/free", body: undefined });
  expect(body).toMatchObject({
    meta: { billed: false, charged_usd: "0.000000", used_free_quota: true, free_quota_remaining: 999 },
  });
});

/** Each step breaks one more check; the first broken one must be told. */
test("checks are made in the documented order", async () => {
  const everythingWrong = {
    method: "PUT",
    path: "/v1/nowhere",
    apiKey: "ml_wrong",
    body: { say: 7 },
  } satisfies Partial<ServiceRequest>;
  const other = account.sessionKey(["datasets"]);
  expect(await call(everythingWrong)).toMatchObject({ status: 405, body: { detail: "Method Not Allowed" } });
  expect(codeOf(await call({ ...everythingWrong, method: "POST" }))).toBe("invalid_api_key");
  expect(codeOf(await call({ ...everythingWrong, method: "POST", apiKey: other }))).toBe("not_found");
  const known = { ...everythingWrong, method: "POST", path: "/v1/echo" };
  expect(codeOf(await call({ ...known, apiKey: other }))).toBe("forbidden");
  expect(codeOf(await call({ ...known, apiKey: key }))).toBe("invalid_params");
  expect((await account.rate()).remaining).toBe(60);

  // Three more, and the cap of the endpoint is reached; the balance covers two of them.
  const statuses = [await call(), await call(), await call()].map(({ status }) => status);
  expect(statuses).toEqual([200, 200, 402]);
  expect(codeOf(await call())).toBe("endpoint_busy");
  for (let left = (await account.rate()).remaining; left > 0; left--) await call();
  expect(codeOf(await call())).toBe("rate_limited");
  expect(codeOf(await call({ body: { say: 7 } }))).toBe("invalid_params");
  expect((await account.state()).balance).toBe(parseUsd("5"));
});

test("a wrong method on a known path is a 405 that says what is allowed, even without a key", async () => {
  const response = await service.call({ method: "GET", path: "/v1/echo" });
  expect(response.status).toBe(405);
  expect(response.body).toEqual({ detail: "Method Not Allowed" });
  expect(response.headers.Allow).toBe("POST");
});

test.each(["nope", 5, undefined, ""])(
  "an id %j that is no UUID is a 500 that says so to the program",
  async (id) => {
    service = build("corpus", undefined, () => id);
    const { status, headers, error } = await call();
    expect([status, headers["X-Request-Id"]]).toEqual([500, "00000000-0000-0000-0000-000000000000"]);
    expect(error).toMatchObject({ name: "UsageError", code: "invalid_options" });
    expect(logged).toEqual([error]);
    expect((await account.state()).balance).toBe(parseUsd("25"));
  },
);

test("a missing key, a wrong key and a revoked key are the same 401", async () => {
  const made = await account.createKey({ scopes: ["*"] });
  await account.revokeKey(made.id);
  for (const apiKey of [undefined, "", "ml_wrong", made.apiKey]) {
    const { apiKey: _, ...rest } = { method: "POST", path: "/v1/echo", apiKey: "" };
    const response = await service.call(apiKey === undefined ? rest : { ...rest, apiKey });
    expect(response.status).toBe(401);
    expect(response.body).toMatchObject({ error: { code: "invalid_api_key", message: "Invalid API key" } });
  }
});

test("a 429 says how long to wait", async () => {
  for (let i = 0; i < 3; i++) await call({ body: { say: "" } });
  const busy = await call({ body: { say: "" } });
  expect([busy.status, codeOf(busy), busy.headers["Retry-After"]]).toEqual([429, "endpoint_busy", "1"]);
  clock.advance(1000);
  expect((await call({ body: { say: "" } })).status).toBe(200);
  for (let i = 0; i < 56; i++) await call({ method: "GET", path: "/v1/free", body: undefined });
  const limited = await call();
  expect([limited.status, codeOf(limited)]).toEqual([429, "rate_limited"]);
  expect(limited.headers).toMatchObject({ "X-RateLimit-Remaining": "0", "Retry-After": "59" });
  clock.advance(59_000);
  expect((await call({ body: { say: "" } })).status).toBe(200);
});

test("an unexpected exception is a plain-text 500, kept for the logger and the caller, not charged", async () => {
  const response = await call({ body: { say: "boom" } });
  expect(response.status).toBe(500);
  expect(response.body).toBe("Internal Server Error");
  expect(response.error).toBeInstanceOf(TypeError);
  expect(logged).toEqual([response.error]);
  expect((await account.state()).balance).toBe(parseUsd("25"));
});

test.each([
  ["throws", () => raise("sentry down")],
  ["rejects", async () => raise("sentry down")],
])(
  "an onError that %s changes no answer, holds no money, and is a warning of the process",
  async (_how, onError) => {
    const warned = new Promise<Error>((resolve) => process.once("warning", resolve));
    service = build("corpus", (error) => {
      logged.push(error);
      return onError();
    });
    const gone = await call({ body: { say: "gone" } });
    expect([gone.status, codeOf(gone)]).toEqual([503, "service_unavailable"]);
    expect(logged).toEqual([gone.error]);
    expect(await warned).toMatchObject({ code: "hook_failed", message: "onError failed: sentry down" });
    // 25 USD cover two calls, if the failed one holds nothing.
    expect([await call(), await call()].map(({ status }) => status)).toEqual([200, 200]);
  },
);

test("an engine that is gone is a 503, an error of the handler keeps its code; neither is charged", async () => {
  const gone = await call({ body: { say: "gone" } });
  expect([gone.status, codeOf(gone)]).toEqual([503, "service_unavailable"]);
  expect(gone.error).toBeInstanceOf(LakeError);
  expect(JSON.stringify(gone.body)).not.toContain("row_store_unreadable");
  expect(logged).toHaveLength(1);
  expect(await call({ body: { say: "cursor" } })).toMatchObject({
    status: 400,
    body: { error: { code: "invalid_params", message: "cursor: too far" } },
  });
  expect((await account.state()).balance).toBe(parseUsd("25"));
});

/** How the calls in the ledger ended. */
async function outcomes(): Promise<(string | undefined)[]> {
  const ended: (string | undefined)[] = [];
  for await (const entry of account.entries())
    if (entry.kind === "call") ended.push(entry.code ?? entry.outcome);
  return ended;
}

test("a call that its caller gives up rejects with the reason, and nothing is charged or held", async () => {
  const controller = new AbortController();
  const pending = call({ body: { say: "slow" }, signal: controller.signal });
  setImmediate(() => controller.abort(new Error("changed my mind")));
  await expect(pending).rejects.toThrow("changed my mind");
  await expect(call({ signal: controller.signal })).rejects.toThrow("changed my mind");
  expect(logged).toEqual([]);
  expect((await account.state()).balance).toBe(parseUsd("25"));
  expect((await call()).status).toBe(200);
  expect((await call()).status).toBe(200); // 20 of 25 USD: the given-up call holds nothing
  expect(await outcomes()).toEqual(["aborted", "charged", "charged"]);
});

test("every call is one entry of the ledger", async () => {
  await call();
  await call({ body: { say: "" } });
  await call({ body: { say: "boom" } });
  await call({ body: {} });
  expect(await outcomes()).toEqual(["charged", "empty", "internal_error", "invalid_params"]);
});

test("as-of is the corpus's newest capture, the service clock, or a fixed instant", async () => {
  for (const asOf of ["corpus", "system", 7] as const) {
    service = build(asOf);
    await call({ body: { say: "" } });
  }
  expect(contexts.map(({ asOfMs }) => asOfMs)).toEqual([42, clock.now(), 7]);
  expect(contexts[0]).toMatchObject({ corpus, index, endpoint: { id: "echo" } });
});
