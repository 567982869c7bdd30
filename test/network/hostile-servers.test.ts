import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect } from "../../src/client/connect.js";
import { openaiEmbedder } from "../../src/search/embed/openai/openai-embedder.js";
import { pullSlices } from "../../src/transfer/pull/pull-slices.js";
import { systemEnvironment } from "../../src/transfer/source/environment.js";
import { ECHO_CATALOGUE } from "../service/echo-service.js";
import { HOSTILE, type HostileServer, startHostile } from "./hostile-server.js";

const TIME = 300;
/** What a loaded machine may take beyond the time-out. */
const SPARE = 20_000;

let server: HostileServer;
let dir: string;
beforeAll(async () => {
  server = await startHostile(() => {});
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-hostile-"));
});
afterAll(async () => {
  await server?.close();
  await rm(dir, { recursive: true, force: true });
});

/** Each way in which the product fetches. */
const FETCHES: Readonly<Record<string, () => Promise<unknown>>> = {
  "connect()": () =>
    connect({ baseUrl: server.url, apiKey: "ml_key", catalogue: ECHO_CATALOGUE, timeoutMs: TIME }).call(
      "ask",
      {
        say: "x",
      },
    ),
  openaiEmbedder: async () => {
    const embedder = await openaiEmbedder({ baseUrl: server.url, model: "m", retries: 0, timeoutMs: TIME });
    return embedder.embedQuery("x");
  },
  pull: () =>
    pullSlices(server.url, {
      lake: join(dir, "lake"),
      retries: 0,
      stallMs: TIME,
      environment: { ...systemEnvironment, sleep: async () => {} },
    }),
};

const CASES = Object.keys(FETCHES).flatMap((fetch) =>
  Object.keys(HOSTILE).map((kind) => [fetch, kind] as const),
);

describe("a fetch ends with an error of its own, and lets go of its connection", () => {
  test.each(CASES)("%s, where the server %s", async (fetch, kind) => {
    server.answer = HOSTILE[kind]!;
    const started = performance.now();
    const error = await FETCHES[fetch]!().then(
      () => expect.unreachable("it cannot have an answer"),
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({
      name: expect.stringMatching(/^(ConnectionError|ResponseError|SearchError|PullError)$/),
      code: expect.any(String),
      remedy: expect.any(String),
    });
    expect(performance.now() - started).toBeLessThan(SPARE);
    while (server.busy() > 0) await new Promise(setImmediate);
  });
});

test("no lake is left of what could not be pulled", async () => {
  expect(await readdir(dir)).toEqual([]);
});
