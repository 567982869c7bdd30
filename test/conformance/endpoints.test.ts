import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EndpointCaps } from "../../src/account/endpoint-caps.js";
import { openMemoryAccount } from "../../src/account/open-memory-account.js";
import { systemClock } from "../../src/clock.js";
import { expectError, expectInvalid, fits } from "../../src/conformance/checks.js";
import type { Outcome } from "../../src/conformance/rule.js";
import { SAMPLE_CALLS } from "../../src/conformance/sample/sample-calls.js";
import { fourTransports, type OpenTransport } from "../../src/conformance/transports.js";
import { CATALOGUE } from "../../src/contract/service/catalogue.js";
import { envelopeSchema } from "../../src/contract/service/envelope.js";
import { HANDLERS } from "../../src/endpoints/handlers.js";
import { startServer } from "../../src/http/server.js";
import { Lake } from "../../src/lake/lake.js";
import { createService } from "../../src/service/pipeline.js";
import { type TemporaryLake, temporarySampleLake } from "../support/sample-lake.js";

let built: TemporaryLake;
let lake: Lake;

beforeAll(async () => {
  built = await temporarySampleLake();
  lake = await Lake.open(built.path);
});

afterAll(async () => {
  await lake?.close();
  await built?.remove();
});

const transports = fourTransports((service) => startServer(service));
const endpointOf = (id: string) => CATALOGUE.find((endpoint) => endpoint.id === id)!;

/** What each endpoint answered through each transport. */
const answers = new Map<string, unknown[]>();

describe.each(transports)("through $name", ({ open }) => {
  const account = openMemoryAccount({ limits: "off" });
  const apiKey = account.sessionKey(["*"]);
  let transport: OpenTransport;

  beforeAll(async () => {
    const service = createService({
      lake,
      account,
      caps: new EndpointCaps(),
      catalogue: CATALOGUE,
      handlers: HANDLERS,
      clock: systemClock,
      asOf: "corpus",
      limits: "off",
      ids: randomUUID,
    });
    transport = await open(service, CATALOGUE, apiKey);
    await account.createKey({ name: "listed", scopes: ["search"] });
  });
  afterAll(() => transport?.close());

  async function answered(
    id: string,
    params: object,
  ): Promise<{ data: unknown; meta: Record<string, unknown> }> {
    const outcome: Outcome = await transport.call(id, params as Record<string, unknown>);
    expect(outcome.status, JSON.stringify(outcome.body).slice(0, 300)).toBe(200);
    return fits(envelopeSchema(endpointOf(id).data), outcome.body);
  }

  test.each(SAMPLE_CALLS)("$id answers something, charged as its row says", async ({ id, success }) => {
    const given =
      id === "account.keys.revoke"
        ? { key_id: (await account.createKey({ scopes: ["search"] })).id }
        : success;
    const { price, freeEligible } = endpointOf(id);
    const before = (await account.state()).balance;
    const { data, meta } = await answered(id, given);
    expect(meta.empty).toBe(false);
    expect(data === null || (Array.isArray(data) && data.length === 0)).toBe(false);
    if (id !== "account.topup")
      expect(before - (await account.state()).balance).toBe(freeEligible ? 0n : price);
    if (!id.startsWith("account.")) answers.set(id, [...(answers.get(id) ?? []), comparable(data)]);
  });

  test.each(SAMPLE_CALLS.filter(({ empty }) => empty !== undefined))(
    "$id answers nothing, free",
    async ({ id, empty }) => {
      const before = await account.state();
      const { meta } = await answered(id, empty!);
      expect(meta).toMatchObject({
        empty: true,
        billed: false,
        charged_usd: "0.000000",
        used_free_quota: false,
      });
      expect(await account.state()).toEqual(before);
    },
  );

  test.each(SAMPLE_CALLS)("$id refuses a bad parameter by name, free", async ({ id, bad }) => {
    const before = await account.state();
    expectInvalid(await transport.call(id, bad.params), bad.param);
    expect(await account.state()).toEqual(before);
  });

  test.each(SAMPLE_CALLS)("$id is forbidden without its scope", async ({ id, success }) => {
    const { scope } = endpointOf(id);
    const others = ["search", "datasets", "account", "raw:forum", "raw:microblog"].filter(
      (other) => other !== scope,
    );
    expectError(await transport.call(id, success, account.sessionKey(others)), "forbidden");
  });
});

/** Vectors as single-precision numbers, whatever held them. */
function comparable(data: unknown): unknown {
  if (!Array.isArray(data)) return data;
  return data.map((item: { vec?: ArrayLike<number> }) =>
    item.vec === undefined ? item : { ...item, vec: Float32Array.from(item.vec) },
  );
}

test("there is a sample call for each endpoint, and an empty one for all that can be empty", () => {
  expect(SAMPLE_CALLS.map(({ id }) => id).sort()).toEqual(CATALOGUE.map(({ id }) => id).sort());
  const never = SAMPLE_CALLS.filter(({ empty }) => empty === undefined).map(({ id }) => id);
  expect(never).toEqual(["account.show", "account.topup", "account.keys", "account.keys.create"]);
});

test("every transport gave the same answers", () => {
  expect(answers.size).toBe(CATALOGUE.filter(({ group }) => group !== "account").length);
  for (const [id, given] of answers) {
    expect(given, id).toHaveLength(transports.length);
    for (const answer of given) expect(answer, id).toEqual(given[0]);
  }
});
