import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCli } from "../../src/cli/program.js";
import { connect } from "../../src/client/connect.js";
import { junitXml, markdownSummary } from "../../src/conformance/reports.js";
import { SAMPLES, sampleItems } from "../../src/conformance/sample/sample-items.js";
import { CATALOGUE } from "../../src/contract/service/catalogue.js";
import { createTestLake } from "../../src/testing/create-test-lake.js";
import type { TestLake } from "../../src/testing/test-lake.js";
import { type TemporaryLake, temporarySampleLake } from "../support/sample-lake.js";
import { capture } from "./capture.js";

let dir: string;
let remote: TestLake;
let url: string;
let built: TemporaryLake;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-record-"));
  const items = JSON.parse(JSON.stringify(sampleItems(CATALOGUE))) as ReturnType<typeof sampleItems>;
  remote = await createTestLake({
    records: items.flatMap((item) => (item.kind === "record" ? [item.record] : [])),
    raw: items.flatMap((item) => (item.kind === "raw" ? [item.raw] : [])),
    limits: "off",
    freeCalls: 0,
  });
  url = (await remote.serve()).url;
  built = await temporarySampleLake();
});
afterAll(async () => {
  await remote?.close();
  await built?.remove();
  await rm(dir, { recursive: true, force: true });
});

/** Runs a command that lasts, gives its first line of JSON to `use`, then stops it. */
async function lasting(
  args: readonly string[],
  use: (first: { url: string }) => Promise<void>,
): Promise<number> {
  const stop = new AbortController();
  let said = (_text: string) => {};
  const first = new Promise<string>((resolve) => {
    said = resolve;
  });
  const stream = (write: (text: string) => void) => ({ write, isTty: false, columns: 100, color: false });
  const ended = runCli([...args, "--port", "0", "--json"], {
    out: stream((text) => said(text)),
    err: stream((text) => said(text)),
    env: {},
    cwd: dir,
    signal: stop.signal,
  });
  try {
    await use(JSON.parse(await first));
  } finally {
    stop.abort();
  }
  return ended;
}

test("record, replay, and compare with a service that changed", { tags: "slow" }, async () => {
  const asked = { query: SAMPLES.query, limit: 2 };
  let id = "";
  const recorded = await lasting(["record", "--remote", url, "--out", "calls.jsonl"], async (proxy) => {
    const client = connect({ baseUrl: proxy.url, apiKey: remote.apiKey });
    id = (await client.search(asked)).request_id;
  });
  expect(recorded).toBe(0);
  const replayed = await lasting(["replay", "calls.jsonl"], async (replay) => {
    const client = connect({ baseUrl: replay.url, apiKey: "ml_any" });
    expect((await client.search(asked)).request_id).toBe(id);
    const missed = await fetch(`${replay.url}/v1/search`, { method: "POST", body: '{"query":"other"}' });
    expect(missed.status).toBe(501);
    expect(((await missed.json()) as { detail: string }).detail).toContain("was not recorded");
  });
  expect(replayed).toBe(0);
  await lasting(["replay", "calls.jsonl", "--lake", built.path], async (replay) => {
    const { apiKey } = replay as unknown as { apiKey: string };
    const client = connect({ baseUrl: replay.url, apiKey });
    expect((await client.search(asked)).request_id).toBe(id);
    expect((await client.search({ ...asked, limit: 1 })).data).toHaveLength(1);
  });
});

test("record that cannot begin leaves no lock, and of a wrong remote no cassette", async () => {
  const record = (name: string, remoteUrl: string, port: string) =>
    capture(["record", "--remote", remoteUrl, "--out", join(dir, name), "--port", port], { env: {} });
  expect((await record("wrong.jsonl", "ftp://x", "0")).err).toContain("Not a base URL");
  expect((await record("busy.jsonl", url, new URL(url).port)).err).toContain("Cannot listen");
  const left = (await readdir(dir)).filter((name) => /^(wrong|busy)/.test(name));
  expect(left).toEqual(["busy.jsonl"]);
});

test("parity refuses what it cannot compare or write before it asks anything", async () => {
  const samples = join(dir, "some-samples.json");
  await writeFile(samples, JSON.stringify(SAMPLES));
  const calls = async () => {
    let count = 0;
    for await (const _ of remote.account.entries()) count += 1;
    return count;
  };
  const before = await calls();
  const against = ["parity", "--against", url, "--key", remote.apiKey, "--samples", samples];
  for (const [args, problem] of [
    [["parity", "--cassette", "calls.jsonl"], "A cassette is compared with a remote service"],
    [[...against, "--cassette", join(dir, "none.jsonl")], "Cannot read the cassette"],
    [[...against, "--junit", join(dir, "none", "parity.xml")], "Cannot write"],
    [[...against, "--summary", join(dir, "none", "parity.md")], "Cannot write"],
    [[...against, "--summary", dir], "it is a folder"],
    [against.slice(0, 5), "no samples is given\n  Give all: --against"],
    [against.slice(0, 3), "no key and no samples is given"],
  ] as const) {
    const { code, err } = await capture([...args], { env: {} });
    expect(code).not.toBe(0);
    expect(err).toContain(problem);
  }
  expect(await calls()).toBe(before);
});

test("parity --against watches for drift: exit code, JUnit XML, a summary", { tags: "slow" }, async () => {
  await writeFile(join(dir, "samples.json"), JSON.stringify(SAMPLES));
  remote.faults.set([{ fault: "status", status: 503, endpoint: "search" }]);
  const bad = await capture(
    [
      ...["parity", "--against", url, "--key", remote.apiKey, "--samples", join(dir, "samples.json")],
      ...["--cassette", join(dir, "calls.jsonl"), "--junit", join(dir, "parity.xml")],
    ],
    { env: { GITHUB_STEP_SUMMARY: join(dir, "own.md") } },
  );
  remote.faults.clear();
  expect(bad.code).toBe(1);
  expect(bad.out).toContain("search error status (1 call): 200 was recorded, 503 now");
  expect(await readFile(join(dir, "own.md"), "utf8")).toContain(
    "| search | error | status | 200 | 503 | 1 |",
  );
  expect(await readFile(join(dir, "parity.xml"), "utf8")).toMatch(/<failure type="error"/);
  const wrongKey = await capture(
    [
      ...["parity", "--against", url, "--key", "ml_wrong", "--samples", join(dir, "samples.json")],
      ...["--cassette", join(dir, "calls.jsonl"), "--junit", join(dir, "wrong.xml")],
      ...["--summary", join(dir, "wrong.md")],
    ],
    { env: {} },
  );
  const refused =
    /<testcase classname="parity.run"[^>]*><error type="invalid_api_key" message="Invalid API key/;
  expect(await readFile(join(dir, "wrong.xml"), "utf8")).toMatch(refused);
  expect(await readFile(join(dir, "wrong.md"), "utf8")).toContain("not finished");
  expect(wrongKey.code).not.toBe(0);
  expect(wrongKey.err.match(/Invalid API key/g)).toHaveLength(1);
  expect(wrongKey.out).toBe("");
  const folder = await capture(
    [
      ...["parity", "--against", url, "--key", remote.apiKey, "--samples", join(dir, "samples.json")],
      ...["--cassette", join(dir, "calls.jsonl"), "--junit", dir],
    ],
    { env: {} },
  );
  expect(folder.err).toContain(`Cannot write ${dir}: it is a folder`);
  expect(markdownSummary([])).toContain("no drift");
  const odd = { endpoint: "a<b", kind: "value", path: 'x"|y', calls: 1, local: "\u0000", remote: "&" };
  expect(junitXml([], [odd])).toContain('name="a&lt;b x&quot;|y"');
  expect(junitXml([], [odd])).not.toContain("\u0000");
  expect(markdownSummary([], [odd])).toContain('x"\\|y');
});
