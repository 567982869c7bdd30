import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { closeSync, openSync, readSync, rmSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { connect, openLake, startServer } from "mirrorlake";

const LAKE = ".mirrorlake/demo";

test("after close every call is refused, and no file of the program is closed", async () => {
  const lake = await openLake(LAKE, { account: "memory" });
  await lake.sql("SELECT 1");
  await Promise.all([lake.close(), lake.close()]);
  writeFileSync("own.txt", "own");
  const files = Array.from({ length: 60 }, () => openSync("own.txt", "r"));
  const calls = [
    () => lake.sql("SELECT 1"),
    () => lake.arrow().next(),
    () => lake.export("after.jsonl", { format: "jsonl" }),
    () => lake.search({ query: "boots" }),
  ];
  for (const call of calls) await assert.rejects(call, { name: "LakeError", code: "lake_closed" });
  for (const file of files) {
    assert.equal(readSync(file, Buffer.alloc(8)), 3);
    closeSync(file);
  }
  rmSync("own.txt");
});

test("close waits for a call under way", async () => {
  const lake = await openLake(LAKE, { account: "memory" });
  const answer = lake.search({ query: "hiking boots", freshness: "90d" });
  await lake.close();
  assert.ok((await answer).data.length > 0);
});

test("both clients take the same options, and close", async () => {
  const options = { budgetUsd: "0.010000", timeoutMs: 60_000, retry: { retries: 1 } };
  const lake = await openLake(LAKE, { account: "memory", ...options });
  const server = await startServer(lake.service);
  const remote = connect({ baseUrl: server.url, apiKey: lake.apiKey, ...options });
  const comments = { item_id: "7400000000000000123", count: 3 };
  const answers = [await lake.raw("short-video", "comments", comments)];
  answers.push(await remote.raw("short-video", "comments", comments));
  assert.deepEqual(answers[0]?.data, answers[1]?.data);
  for (const client of [lake, remote]) {
    assert.equal(client.spentUsd, "0.001500");
    assert.equal(typeof client[Symbol.asyncDispose], "function");
  }
  await remote.close();
  await assert.rejects(() => remote.slices(), { code: "client_closed" });
  await server.close();
  await lake[Symbol.asyncDispose]();
});

test("a stack trace names lines of the sources", () => {
  const program =
    'import("mirrorlake").then(({ openLake }) => openLake("nowhere")).catch(({ stack }) => console.log(stack));';
  const { stdout } = spawnSync(process.execPath, ["--enable-source-maps", "-e", program], {
    encoding: "utf8",
  });
  assert.match(stdout, /src.lake.settings\.ts:\d+/);
});
