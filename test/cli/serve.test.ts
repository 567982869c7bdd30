import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Interruption } from "../../src/cli/context.js";
import { runCli } from "../../src/cli/program.js";
import { connect } from "../../src/client/connect.js";
import { SAMPLES, sampleItems } from "../../src/conformance/sample/sample-items.js";
import { buildLake } from "../../src/conformance/sample/sample-lake.js";
import { CATALOGUE } from "../../src/contract/service/catalogue.js";
import { type TemporaryLake, temporarySampleLake } from "../support/sample-lake.js";
import { capture } from "./capture.js";

let built: TemporaryLake;
beforeAll(async () => {
  built = await temporarySampleLake();
});
afterAll(() => built?.remove());

/** Starts `serve`, gives the first thing it prints to `use`, then stops it as Ctrl-C does. */
async function served(
  args: readonly string[],
  use: (first: string) => Promise<void>,
  lake = built.path,
): Promise<number> {
  const stop = new AbortController();
  let said = (_text: string) => {};
  const first = new Promise<string>((resolve) => {
    said = resolve;
  });
  const stream = (write: (text: string) => void) => ({ write, isTty: false, columns: 100, color: false });
  const ended = runCli(["serve", "--lake", lake, "--port", "0", ...args], {
    out: stream((text) => said(text)),
    err: stream((text) => said(text)),
    env: {},
    cwd: process.cwd(),
    signal: stop.signal,
  });
  try {
    await use(await first);
  } finally {
    stop.abort();
  }
  return ended;
}

const asOptions = (line: string) => {
  const { url, apiKey } = JSON.parse(line) as { url: string; apiKey: string };
  return { baseUrl: url, apiKey };
};

test("serve --json prints one line with the URL and a key that work, and stops at once when told", async () => {
  const code = await served(["--json"], async (line) => {
    expect(line.endsWith("\n")).toBe(true);
    const { url, apiKey, ...rest } = JSON.parse(line) as { url: string; apiKey: string };
    expect(rest).toEqual({
      console: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/#token=[0-9A-Za-z]{32}$/),
    });
    const remote = connect({ baseUrl: url, apiKey });
    const { data } = await remote.search({ query: SAMPLES.query, limit: 2 });
    expect(data).toHaveLength(2);
    expect((await fetch(`${url}/openapi.json`)).status).toBe(200);
  });
  expect(code).toBe(0);
});

test("serve prints its URL for people, on loopback", async () => {
  await served([], async (line) => {
    expect(line).toMatch(/^http:\/\/127\.0\.0\.1:\d+\n$/);
  });
});

test.each([
  ["--no-console", ["--no-console"]],
  ["--host of other machines", ["--host", "0.0.0.0"]],
])("serve has no console with %s", async (_name, args) => {
  await served(["--json", ...args], async (line) => {
    const { url, ...rest } = JSON.parse(line) as { url: string };
    expect(rest).not.toHaveProperty("console");
    expect((await fetch(`${url}/`)).status).toBe(404);
    expect((await fetch(`${url}/console/api/lake`)).status).toBe(404);
  });
});

test.each([
  ["--cors", "http://localhost:5173/", '"http://localhost:5173/": it must be an origin'],
  ["--cors", "http://a.example,localhost:5173", 'browsers send it: "http://localhost:5173"'],
  ["--cors", " ", "It names none."],
  ["--allow-host", "lake.example:8080", 'without scheme and port: "lake.example"'],
  ["--allow-host", "*.example", "there are no wildcards"],
])("serve %s %j, which nothing matches, is refused", async (option, value, words) => {
  const { code, err } = await capture(["serve", option, value]);
  expect(code).toBe(2);
  expect(err).toContain(words);
});

test("serve --cors and --no-limits do what they say", async () => {
  await served(["--json", "--cors", "http://app.example", "--no-limits"], async (line) => {
    const { url, apiKey } = JSON.parse(line) as { url: string; apiKey: string };
    const path = `${url}/v1/raw/short-video/video?item_id=${SAMPLES.itemId}`;
    const headers = { "x-api-key": apiKey, origin: "http://app.example" };
    for (let i = 0; i < 70; i++) {
      const response = await fetch(path, { headers });
      expect([response.status, response.headers.get("access-control-allow-origin")]).toEqual([
        200,
        "http://app.example",
      ]);
      await response.arrayBuffer();
    }
  });
});

test("serve answers from slices that are installed while it runs", { tags: "slow" }, async () => {
  const empty = await mkdtemp(join(tmpdir(), "mirrorlake-serve-"));
  const half = sampleItems(CATALOGUE).filter((item) => item.kind === "record" && item.record.src === "web");
  const lake = await buildLake(empty, half);
  await served(
    ["--json", "--refresh", "1", "--no-limits"],
    async (line) => {
      const remote = connect({ ...asOptions(line), retry: { retries: 0 } });
      const total = async () => (await remote.slices({})).data.total;
      const before = await total();
      await buildLake(join(empty, "more"), sampleItems(CATALOGUE), { lake });
      while ((await total()) === before) await new Promise((resolve) => setTimeout(resolve, 50));
    },
    lake,
  );
  await rm(empty, { recursive: true });
});

test("serve --warm-up warms the lake up before it listens", async () => {
  const code = await served(["--warm-up", "--log", "json"], async (line) => {
    expect(JSON.parse(line)).toMatchObject({ level: "info", event: "warmed_up", searches: 500 });
  });
  expect(code).toBe(0);
});

test("serve refuses a port that is none, and a lake that is none", async () => {
  expect((await capture(["serve", "--port", "70000", "--lake", built.path])).code).toBe(2);
  const lost = await capture(["serve", "--lake", join(built.path, "nowhere")]);
  expect([lost.code, lost.err.includes("lake_not_found")]).toEqual([1, true]);
});

test("parity that is interrupted builds no sample lake to the end first", async () => {
  const interrupted = AbortSignal.abort(new Interruption("SIGINT"));
  expect(await capture(["parity"], { signal: interrupted })).toEqual({
    code: 130,
    out: "",
    err: "Interrupted.\n",
  });
});

test("parity refuses a remote that is named in part", async () => {
  const part = await capture(["parity"], { env: { MIRRORLAKE_REMOTE_URL: "http://127.0.0.1:1" } });
  expect([part.code, part.err.includes("MIRRORLAKE_REMOTE_KEY")]).toEqual([2, true]);
  const file = join(built.path, "samples.json");
  await writeFile(file, "{}");
  const env = {
    MIRRORLAKE_REMOTE_URL: "http://127.0.0.1:1",
    MIRRORLAKE_REMOTE_KEY: "ml_x",
    MIRRORLAKE_REMOTE_SAMPLES: file,
  };
  const bad = await capture(["parity"], { env });
  expect([bad.code, bad.err.includes("remote_samples_invalid")]).toEqual([2, true]);
});

test.each([
  [["--host", ""], "Expected an address of this machine"],
  [["--operations-port", "0", "--operations-host", " "], "Expected an address of this machine"],
  [["--operations-host", "127.0.0.1"], "Add --operations-port"],
])("serve %j is refused before the lake is opened", async (args, message) => {
  const { code, err } = await capture(["serve", "--lake", "/nowhere", "--port", "0", ...args]);
  expect([code, err]).toEqual([2, expect.stringContaining(message)]);
});
