import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openLake } from "../../src/client/open-lake.js";
import { SAMPLES } from "../../src/conformance/sample/sample-items.js";
import { startServer } from "../../src/http/server.js";
import { type TemporaryLake, temporarySampleLake } from "../support/sample-lake.js";
import * as inProcess from "./programs/in-process.js";
import * as overNetwork from "./programs/over-network.js";

let built: TemporaryLake;
beforeAll(async () => {
  built = await temporarySampleLake();
});
afterAll(() => built?.remove());

test("the same program runs in process and over a network, and one line of it differs", async () => {
  const lines = await Promise.all(
    ["in-process", "over-network"].map(async (name) =>
      (await readFile(new URL(`programs/${name}.ts`, import.meta.url), "utf8")).split("\n"),
    ),
  );
  expect(lines[0]!.filter((line, i) => line !== lines[1]![i])).toHaveLength(1);
  expect(lines[0]).toHaveLength(lines[1]!.length);

  const served = await openLake(built.path, { account: "memory" });
  const server = await startServer(served.service);
  try {
    const place = { lake: built.path, query: SAMPLES.query, itemId: SAMPLES.itemId };
    const local = await inProcess.program({ ...place, url: "", apiKey: undefined });
    const remote = await overNetwork.program({ ...place, url: server.url, apiKey: served.apiKey });
    expect(local.ids.length).toBeGreaterThan(0);
    expect(local.source).toBe(SAMPLES.itemId);
    expect(local.comments.length).toBeGreaterThan(0);
    expect(local.codes).toEqual(["invalid_params", "null", "budget_exceeded", "lake_closed"]);
    expect(local.spent).toBe("0.009000");
    expect(remote).toEqual({ ...local, codes: [...local.codes.slice(0, 3), "client_closed"] });
  } finally {
    await server.close();
    await served.close();
  }
});

test("a key that the environment does not have is said to be missing", async () => {
  await expect(
    overNetwork.program({ lake: "", url: "http://127.0.0.1:9", apiKey: undefined, query: "", itemId: "" }),
  ).rejects.toMatchObject({ name: "UsageError", code: "invalid_api_key", message: /apiKey is undefined/ });
});
