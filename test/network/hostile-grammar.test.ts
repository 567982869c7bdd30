import { randomUUID } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connect } from "../../src/client/connect.js";
import { ApiError, MirrorlakeError } from "../../src/contract/errors.js";
import { pullSlices } from "../../src/transfer/pull/pull-slices.js";
import { systemEnvironment } from "../../src/transfer/source/environment.js";
import { ECHO_CATALOGUE } from "../service/echo-service.js";
import { CAMPAIGN, rounds, SEED } from "../support/campaign.js";
import { count } from "../support/count.js";
import { Random } from "../support/fuzz/random.js";
import { hostileAnswer } from "./hostile-answer.js";

const TIME = 150;
const ROUNDS = rounds(60);

const META = {
  billed: true,
  charged_usd: "0.010000",
  used_free_quota: false,
  free_quota_remaining: 0,
  balance_usd: "1.000000",
  empty: false,
};
const ENVELOPES = [
  { request_id: randomUUID(), data: [{ id: "a", vec: [0.5, -1] }], meta: META },
  { request_id: randomUUID(), data: { items: [{ cid: "a" }], cursor: 2, has_more: false }, meta: META },
  { error: { code: "rate_limited", message: "m", request_id: "r" } },
];
const ROOT = "a".repeat(64);
const INDEX = {
  formatVersion: 1,
  slices: [
    {
      root: ROOT,
      name: "n",
      title: "t",
      bytes: 10,
      filter: { domain: "web", platform: "global-news", lang: "en", from: "2026-05-01", to: "2026-05-31" },
      captured: { from: "2026-05-01T00:00:00Z", to: "2026-05-31T00:00:00Z" },
      counts: { records: 1, raw: 0, vectors: 0 },
      licences: ["MIT"],
      revision: 1,
      supersedes: [],
    },
  ],
};

let url = "";
let dir = "";
let answer: (socket: Socket) => void = () => {};
const sockets = new Set<Socket>();
/** Answers each request head as it is told; what comes after the head is not looked at. */
const server = createServer((socket) => {
  sockets.add(socket);
  socket.on("error", () => socket.destroy());
  socket.once("close", () => sockets.delete(socket));
  socket.once("data", () => answer(socket));
});
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-grammar-"));
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
  await rm(dir, { recursive: true, force: true });
});

/** Lets a fetch meet one answer after the other; it has to end well, or with an error that has a code, in time. */
async function meet(right: readonly unknown[], fetch: () => Promise<unknown>): Promise<number> {
  let answered = 0;
  const limit = CAMPAIGN ? 120_000 : 60_000;
  for (let round = 0; round < ROUNDS; round++) {
    count("servers");
    const seed = SEED + round * 7919;
    const random = new Random(seed);
    answer = (socket) => hostileAnswer(right, random)(socket);
    const started = performance.now();
    const error = await fetch().then(
      () => void answered++,
      (thrown: unknown) => thrown,
    );
    if (error !== undefined && !(error instanceof ApiError) && !(error instanceof MirrorlakeError))
      throw new Error(`seed ${seed} ends with an error without a code`, { cause: error });
    expect(performance.now() - started, `seed ${seed}`).toBeLessThan(limit);
  }
  return answered;
}

test("connect() ends with the answer or an error with a code, whatever answers", async () => {
  const remote = connect({
    baseUrl: url,
    apiKey: "ml_key",
    catalogue: ECHO_CATALOGUE,
    timeoutMs: TIME,
    retry: { retries: 1, sleep: async () => {} },
  });
  const answered = await meet(ENVELOPES, async () => {
    const got = await remote.call("ask", { say: "x" });
    expect(got).toMatchObject({ request_id: expect.any(String), meta: expect.any(Object) });
    JSON.stringify(got);
  });
  expect(answered).toBeGreaterThan(0);
  expect(remote.spentUsd).toMatch(/^\d+\.\d{6}$/);
});

test("pull ends with an error with a code, whatever answers, and leaves no lake", async () => {
  const environment = { ...systemEnvironment, sleep: async () => {} };
  const answered = await meet([INDEX], () =>
    pullSlices(url, { lake: join(dir, "lake"), retries: 1, stallMs: TIME, environment }),
  );
  expect(await readdir(join(dir, "lake", "slices")).catch(() => [])).toEqual([]);
  // An index that lists nothing is an answer.
  expect(answered).toBeLessThan(ROUNDS);
});

test("nothing is left of the connections", async () => {
  while (sockets.size > 0) await new Promise(setImmediate);
});
