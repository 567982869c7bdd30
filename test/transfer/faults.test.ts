import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { PULL_DEFAULTS } from "../../src/transfer/pull/defaults.js";
import { type FakeSet, fakeSet, fetchAll, isWhole, testEnvironment } from "./fake-set.js";
import { type Fault, FaultServer } from "./fault-server.js";

const MB = 1_000_000;
const FILE = "records.parquet";

let set: FakeSet;
let server: FaultServer;
let dir: string;
beforeAll(async () => {
  set = await fakeSet([[4 * MB, 300_000]]);
});
afterAll(() => set?.remove());
beforeEach(async () => {
  server = await FaultServer.start(set.out);
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-faults-"));
});
afterEach(async () => {
  await server.close();
  await rm(dir, { recursive: true, force: true });
});

const filesThere = async () => (await readdir(join(dir, set.roots[0]!))).toSorted();
const WHOLE = ["datapackage.json", "raw.parquet", "records.parquet"];

/** Faults of which each breaks one answer and lets the next go on from where it broke. */
const RESUMED: readonly (readonly [string, readonly Fault[]])[] = [
  [
    "drops the connection",
    [
      { kind: "drop", after: MB },
      { kind: "drop", after: 700_000 },
      { kind: "drop", after: 10 },
    ],
  ],
  ["resets the connection", [{ kind: "reset", after: 2 * MB }]],
  ["ends the body early, as if it were whole", [{ kind: "truncate", after: 1.5 * MB }]],
  ["stalls", [{ kind: "stall", after: 1.2 * MB }]],
  ["refuses connections for a while", [{ kind: "drop", after: MB }, { kind: "refuse" }, { kind: "refuse" }]],
  [
    "answers 503 and 500 half-way",
    [
      { kind: "drop", after: MB },
      { kind: "status", status: 503 },
      { kind: "status", status: 500 },
    ],
  ],
  [
    "lies about the length of a part",
    [
      { kind: "drop", after: MB },
      { kind: "length", by: 5000 },
    ],
  ],
];

describe("a source that fails half-way", () => {
  test.each(RESUMED)("%s: the file is resumed, whole and verified", async (_name, faults) => {
    server.plan(FILE, faults);
    const stalls = faults.some(({ kind }) => kind === "stall");
    const { bytesFetched } = await fetchAll(server.url, dir, stalls ? { stallMs: 400 } : {});
    expect(await isWhole(set, dir)).toBe(true);
    expect(await filesThere()).toEqual(WHOLE);
    // Nothing that came was thrown away …
    expect(bytesFetched).toBe(4 * MB + 300_000);
    // … and nothing was sent twice but what had not come yet. A reset takes with it what the kernel still had to send.
    const breaks = faults.filter(({ kind }) => !["status", "refuse"].includes(kind)).length;
    if (!faults.some(({ kind }) => kind === "reset"))
      expect(server.sent(FILE)).toBeLessThanOrEqual(4 * MB + breaks * PULL_DEFAULTS.resumeBytes);
    const resumed = server.seen.filter(({ path, range }) => path.endsWith(FILE) && range !== undefined);
    expect(resumed.length).toBeGreaterThan(0);
    expect(resumed.every(({ ifRange }) => ifRange?.startsWith('"'))).toBe(true);
  });

  test("what it has is kept when it gives up, and the next run goes on from there", async () => {
    server.plan(FILE, [{ kind: "drop", after: MB }, ...refusals(9)]);
    await expect(fetchAll(server.url, dir)).rejects.toMatchObject({
      code: "transfer_interrupted",
      remedy: expect.stringContaining("run it again"),
    });
    expect(await filesThere()).toContain("records.parquet.part");
    const before = server.sent(FILE);
    await fetchAll(server.url, dir);
    expect(await isWhole(set, dir)).toBe(true);
    expect(server.sent(FILE)).toBeLessThanOrEqual(4 * MB + PULL_DEFAULTS.resumeBytes);
    expect(before).toBe(MB);
  });

  test("a connection that always breaks after some progress does not wear out the attempts", async () => {
    server.plan(
      FILE,
      Array.from({ length: 15 }, () => ({ kind: "drop", after: 250_000 }) as const),
    );
    await fetchAll(server.url, dir, { retries: 2 });
    expect(await isWhole(set, dir)).toBe(true);
  });
});

describe("a source that says something else", () => {
  test("another version midway: it starts over, and never joins two versions", async () => {
    server.plan(FILE, [{ kind: "drop", after: MB }, { kind: "other-version" }]);
    await fetchAll(server.url, dir);
    expect(await isWhole(set, dir)).toBe(true);
    const [, second, third] = server.seen.filter(({ path }) => path.endsWith(FILE));
    expect([second!.fault, second!.range]).toEqual([
      "other-version",
      expect.stringMatching(/^bytes=(1000000|[789]\d{5})-$/),
    ]);
    expect(third!.range).toBeUndefined();
  });

  test("another version for good: it fails, and says what is wrong", async () => {
    server.plan(FILE, [{ kind: "drop", after: MB }, ...times(9, { kind: "other-version" })]);
    await expect(fetchAll(server.url, dir)).rejects.toMatchObject({
      name: "PullError",
      code: "file_corrupt",
    });
    expect(await filesThere()).not.toContain(FILE);
  });

  test.each([
    ["a part of another version, whatever If-Range says", { kind: "other-part" }],
    ["a part that begins elsewhere", { kind: "shifted-part" }],
    ["416", { kind: "unsatisfiable" }],
  ] as const)("%s: what is at hand is kept once, then started over", async (_name, fault) => {
    server.plan(FILE, [{ kind: "drop", after: MB }, fault]);
    await fetchAll(server.url, dir);
    expect(await isWhole(set, dir)).toBe(true);
    const used = server.seen.filter((seen) => seen.path.endsWith(FILE) && seen.fault !== fault.kind);
    expect(used.reduce((sum, { sent }) => sum + sent, 0)).toBeLessThanOrEqual(
      4 * MB + PULL_DEFAULTS.resumeBytes,
    );
    server.plan(FILE, [{ kind: "drop", after: MB }, fault, fault]);
    await fetchAll(server.url, join(dir, "second"));
    expect(await isWhole(set, join(dir, "second"))).toBe(true);
  });

  test("200 to a range: the whole file is taken from the start", async () => {
    server.ranges = false;
    server.plan(FILE, [{ kind: "drop", after: MB }]);
    await fetchAll(server.url, dir);
    expect(await isWhole(set, dir)).toBe(true);
    expect(server.sent(FILE)).toBeLessThanOrEqual(5 * MB + PULL_DEFAULTS.resumeBytes);
  });

  test.each(["weak", "none"] as const)("with %s validators nothing is resumed", async (validators) => {
    server.validators = validators;
    server.plan(FILE, [{ kind: "drop", after: MB }]);
    await fetchAll(server.url, dir);
    expect(await isWhole(set, dir)).toBe(true);
    expect(server.seen.every(({ range }) => range === undefined)).toBe(true);
  });

  test("a Last-Modified that is old enough is a validator too", async () => {
    server.validators = "date";
    server.plan(FILE, [{ kind: "drop", after: MB }]);
    await fetchAll(server.url, dir);
    expect(await isWhole(set, dir)).toBe(true);
    expect(server.seen.some(({ ifRange }) => ifRange?.endsWith("GMT"))).toBe(true);
  });

  test.each([
    ["a length that is too small", { kind: "length", by: -5000 }],
    ["a length that is too large", { kind: "length", by: 5000 }],
    ["more than the file", { kind: "more" }],
    ["a flipped bit", { kind: "corrupt", at: 123_456 }],
  ] as const)("%s, once: the file is fetched again", async (_name, fault) => {
    server.plan(FILE, [fault]);
    await fetchAll(server.url, dir);
    expect(await isWhole(set, dir)).toBe(true);
    expect(await filesThere()).toEqual(WHOLE);
  });

  test.each([
    ["a wrong length", { kind: "length", by: 5000 }, "file_mismatch"],
    ["more than the file", { kind: "more" }, "file_mismatch"],
    ["a flipped bit", { kind: "corrupt", at: 123_456 }, "file_corrupt"],
  ] as const)(
    "%s, always: it fails clearly, and nothing of the file is there",
    async (_name, fault, code) => {
      server.plan(FILE, times(20, fault));
      await expect(fetchAll(server.url, dir)).rejects.toMatchObject({ name: "PullError", code });
      expect(await filesThere()).not.toContain(FILE);
      expect(server.seen.filter(({ path }) => path.endsWith(FILE)).length).toBe(PULL_DEFAULTS.restarts + 1);
    },
  );

  test("a damaged manifest is fetched again, and refused when it stays so", async () => {
    server.plan("datapackage.json", [{ kind: "corrupt", at: 200 }]);
    await fetchAll(server.url, dir);
    expect(await isWhole(set, dir)).toBe(true);
    server.plan("datapackage.json", times(9, { kind: "corrupt", at: 200 }));
    await expect(fetchAll(server.url, join(dir, "second"))).rejects.toMatchObject({ name: "SliceError" });
  });
});

describe("a source that asks for patience", () => {
  test.each([429, 503])("%i with Retry-After: it waits that long, and never less", async (status) => {
    server.plan(FILE, [
      { kind: "drop", after: MB },
      { kind: "status", status, retryAfter: "7" },
    ]);
    const environment = testEnvironment();
    const began = environment.now();
    await fetchAll(server.url, dir, { environment });
    expect(await isWhole(set, dir)).toBe(true);
    expect(environment.slept.some((ms) => ms >= 7000 && ms <= 7700)).toBe(true);
    expect(environment.now() - began).toBeGreaterThanOrEqual(7000);
  });

  test("Retry-After as a date", async () => {
    const environment = testEnvironment();
    const retryAfter = new Date(environment.now() + 12_000).toUTCString();
    server.plan(FILE, [{ kind: "status", status: 503, retryAfter }]);
    await fetchAll(server.url, dir, { environment });
    expect(Math.max(...environment.slept)).toBeGreaterThanOrEqual(11_000);
  });

  test("a wait that is too long is an error that says when to come back", async () => {
    server.plan(FILE, [{ kind: "status", status: 429, retryAfter: "3600" }]);
    const environment = testEnvironment();
    await expect(fetchAll(server.url, dir, { environment })).rejects.toMatchObject({
      code: "source_busy",
      value: 3600,
      remedy: expect.stringContaining("3600 s"),
    });
    expect(environment.slept.every((ms) => ms < 3_600_000)).toBe(true);
  });

  test("without Retry-After the pauses grow, and differ from seed to seed", async () => {
    const pauses = [];
    for (const seed of [1, 2]) {
      server.plan(FILE, times(5, { kind: "status", status: 503 }));
      const environment = testEnvironment(seed);
      await fetchAll(server.url, join(dir, String(seed)), { environment, concurrency: 1 });
      expect(environment.slept).toHaveLength(5);
      for (const [i, ms] of environment.slept.entries()) {
        expect(ms).toBeGreaterThanOrEqual(PULL_DEFAULTS.backoffMs * 2 ** (i - 1));
        expect(ms).toBeLessThanOrEqual(PULL_DEFAULTS.backoffMs * 2 ** i);
      }
      pauses.push(environment.slept);
    }
    expect(pauses[0]).not.toEqual(pauses[1]);
  });
});

describe("a source that cannot be had", () => {
  test("nobody listens: it says so soon, and makes nothing", async () => {
    const { url } = server;
    await server.close();
    const environment = testEnvironment();
    await expect(fetchAll(url, join(dir, "none"), { environment })).rejects.toMatchObject({
      code: "source_unreachable",
      remedy: expect.stringContaining(".zip"),
    });
    expect(environment.slept).toHaveLength(PULL_DEFAULTS.firstRetries);
    expect(await readdir(dir)).toEqual([]);
    server = await FaultServer.start(set.out);
  });

  test.each([
    [401, "pull_unauthorized"],
    [403, "pull_forbidden"],
    [410, "pull_not_found"],
    [418, "pull_refused"],
  ])("%i is not tried again", async (status, code) => {
    server.plan(FILE, [{ kind: "status", status }]);
    await expect(fetchAll(server.url, dir)).rejects.toMatchObject({ code, value: status });
    expect(server.seen.filter(({ path }) => path.endsWith(FILE))).toHaveLength(1);
  });

  test("an address without an index is named", async () => {
    await expect(fetchAll(`${server.url}/nowhere`, dir)).rejects.toMatchObject({ code: "source_not_found" });
  });

  test("the address of a server's calls, which want a key, stands for the server", async () => {
    const root = join(dir, "server");
    await mkdir(root);
    await symlink(set.out, join(root, "datasets"), "junction");
    const served = await FaultServer.start(root);
    try {
      for (const base of ["/v1", "/v1/"]) {
        served.plan("/v1/index.json", [{ kind: "status", status: 401 }]);
        await fetchAll(`${served.url}${base}`, join(dir, "fetched"));
        expect(await isWhole(set, join(dir, "fetched"))).toBe(true);
      }
      served.plan("index.json", Array(3).fill({ kind: "status", status: 401 }));
      await expect(fetchAll(`${served.url}/v1`, join(dir, "fetched"))).rejects.toMatchObject({
        code: "pull_unauthorized",
      });
    } finally {
      await served.close();
    }
  });

  test("what a killed process left beside a file that was whole is cleared away", async () => {
    await fetchAll(server.url, dir);
    const slice = join(dir, set.roots[0]!);
    for (const name of [`${FILE}.part.json`, `${FILE}.part.json.tmp`, "stranger"])
      await writeFile(join(slice, name), "{}");
    await fetchAll(server.url, dir);
    expect(await filesThere()).toEqual(WHOLE);
    expect(server.sent(FILE)).toBe(4 * MB);
  });

  test("what has come survives an abort, and the reason is the signal's", async () => {
    const stop = new AbortController();
    const onProgress = ({ done }: { done: number }) => {
      if (done > 2 * MB) stop.abort(new Error("enough"));
    };
    await expect(
      fetchAll(server.url, dir, { signal: stop.signal, concurrency: 1, onProgress }),
    ).rejects.toThrow("enough");
    const { bytesFetched } = await fetchAll(server.url, dir);
    expect(await isWhole(set, dir)).toBe(true);
    expect(bytesFetched).toBeLessThanOrEqual(2 * MB + 300_000);
  });
});

function times(count: number, fault: Fault): Fault[] {
  return Array.from({ length: count }, () => fault);
}

function refusals(count: number): Fault[] {
  return times(count, { kind: "refuse" });
}
