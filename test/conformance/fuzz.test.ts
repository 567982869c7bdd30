import { afterAll, beforeAll, expect, test } from "vitest";
import { openLake } from "../../src/client/open-lake.js";
import { wireEntrance } from "../../src/conformance/transports.js";
import { parseUsd } from "../../src/contract/money.js";
import { CATALOGUE } from "../../src/contract/service/catalogue.js";
import { startServer } from "../../src/http/server.js";
import { rounds } from "../support/campaign.js";
import { runFuzz } from "../support/fuzz/run-fuzz.js";
import { type TemporaryLake, temporarySampleLake } from "../support/sample-lake.js";

let built: TemporaryLake;

beforeAll(async () => {
  built = await temporarySampleLake();
});
afterAll(() => built?.remove());

async function openFuzzed() {
  const errors: unknown[] = [];
  const lake = await openLake(built.path, {
    account: "memory",
    limits: "off",
    openingBalance: parseUsd("100000"),
    onError: (error) => errors.push(error),
  });
  return { lake, errors };
}

test("structured random requests through fetch: no crash, no hang, no 500, nothing charged", {
  tags: "slow",
}, async () => {
  const { lake, errors } = await openFuzzed();
  const { send } = wireEntrance(lake.fetch, "https://service.example", CATALOGUE, lake.apiKey);
  const report = await runFuzz({ catalogue: CATALOGUE, account: lake.account, send }, rounds(1500), 1);
  await lake.close();
  expect(errors).toEqual([]);
  // Every kind of answer was reached, or the fuzz is blunt.
  expect(Object.keys(report)).toEqual(expect.arrayContaining(["200", "400", "401", "403", "404", "405"]));
});

test("structured random requests over HTTP: the same", { tags: "slow" }, async () => {
  const { lake, errors } = await openFuzzed();
  const server = await startServer(lake.service);
  const { send } = wireEntrance((input, init) => fetch(input, init), server.url, CATALOGUE, lake.apiKey);
  await runFuzz({ catalogue: CATALOGUE, account: lake.account, send }, rounds(500), 2);
  await server.close();
  await lake.close();
  expect(errors).toEqual([]);
});
