import { closeSync, openSync, readFileSync, readSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect } from "../../src/client/connect.js";
import { type LakeClient, openLake } from "../../src/client/open-lake.js";
import { SAMPLES } from "../../src/conformance/sample/sample-items.js";
import { startServer } from "../../src/http/server.js";
import { Lake } from "../../src/lake/lake.js";
import { type TemporaryLake, temporarySampleLake } from "../support/sample-lake.js";

const FILES = 60;
const CLOSED = { name: "LakeError", code: "lake_closed" };

let built: TemporaryLake;
let dir: string;
beforeAll(async () => {
  built = await temporarySampleLake();
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-close-"));
});
afterAll(async () => {
  await built?.remove();
  await rm(dir, { recursive: true, force: true });
});

/** Every way into a client. */
const CALLS: Readonly<Record<string, (client: LakeClient) => unknown>> = {
  search: (client) => client.search({ query: SAMPLES.query }),
  raw: (client) => client.raw("short-video", "video", { item_id: SAMPLES.itemId }),
  slices: (client) => client.slices(),
  call: (client) => client.call("datasets.slices", {}),
  pages: (client) => client.pages("datasets.slices", {})[Symbol.asyncIterator]().next(),
  items: (client) => client.items("datasets.slices", {})[Symbol.asyncIterator]().next(),
  fetch: (client) => client.fetch("/v1/datasets/slices"),
  "service.call": (client) => client.service.call({ method: "GET", path: "/v1/datasets/slices" }),
  refresh: (client) => client.refresh(),
  warmUp: (client) => client.warmUp(),
  "sql as rows": (client) => client.sql("SELECT 1"),
  "sql as a table": (client) => client.sql("SELECT 1", [], { as: "table" }),
  "sql as batches": (client) => client.sql("SELECT 1", [], { as: "batches" }).next(),
  sqlStream: (client) => client.sqlStream("SELECT 1").next(),
  arrow: (client) => client.arrow().next(),
  export: (client) => client.export(join(dir, "records.jsonl"), { format: "jsonl" }),
  "lake.use": (client) => client.lake.use(async () => {}),
  "lake.stream": (client) => client.lake.stream(async function* () {}).next(),
  "lake.gather": (client) => client.lake.gather(async function* () {}),
  "lake.refresh": (client) => client.lake.refresh(),
  "lake.corpus": async (client) => client.lake.corpus,
  "lake.index": async (client) => client.lake.index,
  "lake.withheld": async (client) => client.lake.withheld,
};

describe("after close", () => {
  test.each(Object.keys(CALLS))("%s is refused, and closes nobody else's file", async (name) => {
    const client = await openLake(built.path, { account: "memory" });
    await client.close();
    const files = Array.from({ length: FILES }, (_, i) => {
      const path = join(dir, `${i}.txt`);
      writeFileSync(path, String(i));
      return openSync(path, "r");
    });
    try {
      await expect(CALLS[name]!(client)).rejects.toMatchObject(CLOSED);
      const bytes = Buffer.alloc(8);
      const read = files.map((file) => bytes.toString("utf8", 0, readSync(file, bytes, 0, 8, 0)));
      expect(read).toEqual(files.map((_, i) => String(i)));
    } finally {
      for (const file of files) closeSync(file);
    }
  });

  test("what was taken from the lake before reads no other file under an old number", async () => {
    const client = await openLake(built.path, { account: "memory" });
    const { corpus, index } = client.lake;
    await client.close();
    const files = Array.from({ length: FILES }, () => openSync(join(dir, "0.txt"), "r"));
    try {
      await expect(corpus.records([0])).rejects.toMatchObject(CLOSED);
      expect(() => index.vector(0)).toThrow(expect.objectContaining(CLOSED));
    } finally {
      for (const file of files) closeSync(file);
    }
  });

  test("a server over it says that the service is unavailable, which is charged to nobody", async () => {
    const client = await openLake(built.path, { account: "memory" });
    const errors: unknown[] = [];
    const server = await startServer(client.service, { onError: (error) => errors.push(error) });
    const remote = connect({
      baseUrl: server.url,
      apiKey: client.apiKey,
      budgetUsd: "1",
      retry: { retries: 0 },
    });
    await client.close();
    await expect(remote.search({ query: SAMPLES.query })).rejects.toMatchObject({
      name: "ApiError",
      code: "service_unavailable",
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(remote.spentUsd).toBe("0.000000");
    expect(errors).toMatchObject([CLOSED]);
    await remote.close();
    await server.close();
  });

  test("closing again, or twice at once, waits for the same and changes nothing", async () => {
    const client = await openLake(built.path, { account: "memory" });
    await Promise.all([client.close(), client.close(), client.lake.close()]);
    await client.close();
    await client.lake.close();
  });
});

describe("close", () => {
  test("waits for calls that are under way", async () => {
    const client = await openLake(built.path, { account: "memory" });
    const file = join(dir, "whole.jsonl");
    const calls = [
      client.search({ query: SAMPLES.query }),
      client.sql("SELECT count(*) AS n FROM records"),
      client.sql("SELECT id FROM records", [], { as: "table" }),
      client.export(file, { format: "jsonl" }),
    ] as const;
    await client.close();
    const [found, [row], table, exported] = await Promise.all(calls);
    expect(found.data.length).toBeGreaterThan(0);
    expect(table.numRows).toBe(row!.n);
    expect(readFileSync(file, "utf8").trimEnd().split("\n")).toHaveLength(exported.records);
  });

  test("does not wait for a stream that nobody reads on, which then says that it is not whole", async () => {
    const client = await openLake(built.path, { account: "memory" });
    const text = "SELECT * FROM range(100000) CROSS JOIN (SELECT 1 FROM records LIMIT 1)";
    const streams = [client.sqlStream(text), client.arrow({}, {}), client.sql(text, [], { as: "batches" })];
    const [rows, , batches] = streams as [(typeof streams)[0], unknown, (typeof streams)[2]];
    const never = client.sqlStream(text);
    expect((await rows.next()).done).toBe(false);
    expect((await batches.next()).done).toBe(false);
    await client.close();
    await expect(rows.next()).rejects.toMatchObject(CLOSED);
    await expect(batches.next()).rejects.toMatchObject(CLOSED);
    await expect(never.next()).rejects.toMatchObject(CLOSED);
  });

  test("gives the item of a stream that is being made", async () => {
    const client = await openLake(built.path, { account: "memory" });
    const rows = client.sqlStream("SELECT * FROM range(100000) CROSS JOIN (SELECT 1 FROM records LIMIT 1)");
    const first = rows.next();
    await Promise.resolve();
    await client.close();
    expect((await first).done).toBe(false);
    await expect(rows.next()).rejects.toMatchObject(CLOSED);
  });

  test("comes of itself with `await using`", async () => {
    const client = await openLake(built.path, { account: "memory" });
    await client[Symbol.asyncDispose]();
    await expect(client.search({ query: "a" })).rejects.toMatchObject(CLOSED);
    const lake = await Lake.open(built.path);
    await lake[Symbol.asyncDispose]();
    await expect(lake.use(async () => {})).rejects.toMatchObject(CLOSED);
  });
});
