import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Lake, planPull, pullSlices, systemEnvironment } from "mirrorlake";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { indexEntry } from "../../src/slice/write-slice-index.js";
import { selectSlices } from "../../src/transfer/pull/select-slices.js";
import { TransferMeter } from "../../src/transfer/pull/transfer-meter.js";
import { RateLimiter } from "../../src/transfer/source/rate-limiter.js";
import { capture } from "../cli/capture.js";
import { zipOf } from "../ingest/zip-writer.js";
import { testEnvironment } from "./fake-set.js";
import { FaultServer } from "./fault-server.js";
import { rootsOf, type SmallSet, smallSet } from "./small-set.js";

let set: SmallSet;
let server: FaultServer;
let dir: string;
let lake: string;
beforeAll(async () => {
  set = await smallSet(0, 90);
});
afterAll(() => set?.remove());
beforeEach(async () => {
  server = await FaultServer.start(set.out);
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-pulls-"));
  lake = join(dir, "lake");
});
afterEach(async () => {
  await server.close();
  await rm(dir, { recursive: true, force: true });
});

const held = async () => {
  const open = await Lake.open(lake);
  try {
    return rootsOf(open.corpus.slices({ offset: 0, limit: 1000 }).manifests);
  } finally {
    await open.close();
  }
};

describe("pullSlices", () => {
  test("pulls what a filter selects, then only what is missing, and leaves nothing behind", {
    tags: "slow",
  }, async () => {
    const web = await pullSlices(server.url, { lake, filter: { domain: "web" } });
    expect(web.slices.length).toBeGreaterThan(0);
    expect(web.slices.every(({ filter }) => filter.domain === "web")).toBe(true);
    expect(await held()).toEqual(web.slices.map(({ root }) => root).toSorted());
    const rest = await pullSlices(server.url, { lake });
    expect(await held()).toEqual(rootsOf(set.manifests));
    expect(rest.slices.filter(({ state }) => state === "present").length).toBe(web.slices.length);
    expect(web.bytesFetched + rest.bytesFetched).toBe(rest.bytes + web.bytes);
    expect(await readdir(lake)).not.toContain("incoming");
  });

  test("filters by language and window of capture", async () => {
    const plan = await planPull(server.url, {
      lake,
      filter: { lang: "en", from: "2026-05-01", to: "2026-05-31" },
    });
    const expected = set.manifests.filter(
      ({ mirrorlake: { filter, captured } }) => filter.lang === "en" && captured.first < "2026-06-01",
    );
    expect(plan.slices.map(({ root }) => root).toSorted()).toEqual(rootsOf(expected));
  });

  test.each([
    [{ domain: "sport" }, "invalid_filter"],
    [{ from: "yesterday" }, "invalid_filter"],
    [{ from: "2026-06-02", to: "2026-06-01" }, "invalid_filter"],
    [{ platform: "no-such-platform" }, "nothing_selected"],
  ])("refuses the filter %j", async (filter, code) => {
    await expect(pullSlices(server.url, { lake, filter })).rejects.toMatchObject({ code });
    expect(await readdir(dir)).toEqual([]);
  });

  test("a dry run tells sizes, and changes and fetches nothing but the index", async () => {
    const { code, out } = await capture(["pull", server.url, "--lake", lake, "--dry-run"]);
    expect(code).toBe(0);
    expect(out).toContain(`${set.manifests.length} slices to fetch`);
    expect(out).toContain("free: it fits");
    expect(await readdir(dir)).toEqual([]);
    expect(server.seen.map(({ path }) => path)).toEqual(["/index.json"]);
  });

  test("refuses before it starts when the disk is too small", async () => {
    const environment = { ...systemEnvironment, freeBytes: async () => 1_000_000 };
    await expect(pullSlices(server.url, { lake, environment })).rejects.toMatchObject({ code: "no_space" });
    expect(await readdir(dir)).toEqual([]);
    expect(server.seen.map(({ path }) => path)).toEqual(["/index.json"]);
    await pullSlices(server.url, { lake, environment, checkSpace: false });
    expect(await held()).toEqual(rootsOf(set.manifests));
  });

  test("asks a small disk for what a small set needs, and some to be left", async () => {
    const environment = { ...systemEnvironment, freeBytes: async () => 8_000_000 };
    const { bytesNeeded } = await planPull(server.url, { lake, environment });
    await pullSlices(server.url, { lake, environment });
    const names = await readdir(lake, { recursive: true, withFileTypes: true });
    const files = names.filter((entry) => entry.isFile());
    const sizes = await Promise.all(files.map(({ parentPath, name }) => stat(join(parentPath, name))));
    expect(sizes.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(bytesNeeded);
  });

  test("says of a disk that fills up that fetched files are kept only where files are fetched", async () => {
    const full = () => {
      throw Object.assign(new Error("write"), { code: "ENOSPC" });
    };
    const archive = join(dir, "set.zip");
    await zipped(archive, "");
    for (const [source, kept] of [
      [server.url, ", and what was fetched is kept"],
      [archive, ", and what was fetched is kept"],
      [set.out, ""],
    ] as const)
      await expect(pullSlices(source, { lake, onProgress: full }), source).rejects.toMatchObject({
        code: "disk_full",
        remedy: `free some space, then do the same again: nothing is half written${kept}`,
      });
  });

  test("stays offline when told, and says so when there is no network", async () => {
    await expect(pullSlices(server.url, { lake, offline: true })).rejects.toMatchObject({ code: "offline" });
    expect(server.seen).toEqual([]);
    const { url } = server;
    await server.close();
    const none = await capture(["pull", url, "--lake", lake, "--json"]);
    server = await FaultServer.start(set.out);
    expect([none.code, JSON.parse(none.out).error.code]).toEqual([1, "source_unreachable"]);
    expect(await readdir(dir)).toEqual([]);
  });

  test.each([
    ["ftp://host/x", "invalid_source"],
    ["http://127.0.0.1:1/", "source_unreachable"],
    ["http://user:secret@host/x", "invalid_source"],
    ["http://host/x.zip", "invalid_source"],
    ["/no/such/place", "source_not_found"],
  ])("refuses %s as a source", async (source, code) => {
    const environment = testEnvironment();
    const error = await pullSlices(source, { lake, environment }).catch((thrown: unknown) => thrown as Error);
    expect(error).toMatchObject({ code, remedy: expect.anything() });
    expect(JSON.stringify([(error as Error).message, error])).not.toContain("secret");
  });

  test.skipIf(process.platform === "win32")("refuses a named pipe, and does not wait for it", async () => {
    const pipe = join(dir, "pipe");
    execFileSync("mkfifo", [pipe]);
    await expect(pullSlices(pipe, { lake })).rejects.toMatchObject({ code: "source_invalid", value: pipe });
  });

  test("pulls from a zip archive, however deep the slices lie in it", { tags: "slow" }, async () => {
    const archive = join(dir, "public.zip");
    await zipped(archive, "some/where/");
    const steps: { readonly done: number; readonly total: number }[] = [];
    const { install, bytesFetched } = await pullSlices(archive, {
      lake,
      onProgress: (progress) => void (progress.phase === "download" && steps.push(progress)),
    });
    expect(install?.slices.length).toBe(set.manifests.length);
    expect(await held()).toEqual(rootsOf(set.manifests));
    expect(bytesFetched).toBe(0);
    expect(steps.at(-1)?.done).toBe(steps.at(-1)?.total);
  });

  test("says of a zip archive that nothing came over the network", async () => {
    const archive = join(dir, "public.zip");
    await zipped(archive, "");
    const { out } = await capture(["pull", archive, "--lake", lake, "--no-lock"]);
    expect(out).toContain(`${set.manifests.length} slices pulled`);
    expect(out).toMatch(/ installed /);
    expect(out).not.toMatch(/wanted|over the network/);
  });

  test("a zip archive whose file is another than its manifest says is refused", async () => {
    const archive = join(dir, "public.zip");
    await zipped(archive, "", (bytes) => {
      bytes[100]! ^= 1;
    });
    await expect(pullSlices(archive, { lake })).rejects.toMatchObject({ code: "file_corrupt" });
    await expect(Lake.open(lake)).rejects.toMatchObject({ code: "lake_empty" });
  });

  test.each([
    ["passwd", /^passwd: is not a zip archive$/, /a zip archive, or a folder of slices/],
    ["old.ZIP", /^old.ZIP: is named .zip and is not a zip archive$/, /rename it/],
  ])("a file %s that is no archive is refused, as what it is", async (name, message, remedy) => {
    const file = join(dir, name);
    await writeFile(file, "root:x:0:0\n");
    await expect(pullSlices(file, { lake })).rejects.toMatchObject({
      code: "not_a_zip",
      message: expect.stringMatching(message),
      remedy: expect.stringMatching(remedy),
    });
  });

  test("two pulls into one lake do not write the same files", { tags: "slow" }, async () => {
    server.plan("records.parquet", [{ kind: "stall", after: 10 }]);
    const stop = new AbortController();
    const first = pullSlices(server.url, { lake, signal: stop.signal }).catch((error: unknown) => error);
    while (!server.seen.some(({ fault }) => fault === "stall")) await new Promise((go) => setTimeout(go, 5));
    await expect(pullSlices(server.url, { lake })).rejects.toMatchObject({ code: "lake_busy" });
    stop.abort(new Error("stopped"));
    expect(await first).toEqual(new Error("stopped"));
    await pullSlices(server.url, { lake });
    expect(await held()).toEqual(rootsOf(set.manifests));
  });

  test("interrupted on the command line it ends with 130, says how to go on, and goes on", async () => {
    server.plan("records.parquet", [{ kind: "stall", after: 10 }]);
    const stop = new AbortController();
    const run = capture(["pull", server.url, "--lake", lake, "--no-lock"], { signal: stop.signal });
    while (!server.seen.some(({ fault }) => fault === "stall")) await new Promise((go) => setTimeout(go, 5));
    stop.abort(new Error("Ctrl-C"));
    const { code, err } = await run;
    expect([code, err]).toEqual([130, expect.stringContaining("run the same command again")]);
    expect(await readdir(join(lake, "incoming"))).not.toEqual([]);
    // Of a folder nothing is fetched, so nothing is kept.
    const signal = AbortSignal.abort(new Error("Ctrl-C"));
    const folder = await capture(["pull", set.out, "--lake", join(dir, "other"), "--no-lock"], { signal });
    expect([folder.code, folder.err]).toEqual([130, expect.not.stringContaining("kept")]);
    expect((await capture(["pull", server.url, "--lake", lake, "--no-lock"])).code).toBe(0);
    expect(await readdir(lake)).not.toContain("incoming");
  });

  test("partial files that nobody came back for are removed after two weeks", { tags: "slow" }, async () => {
    const old = join(lake, "incoming", "0".repeat(64));
    await pullSlices(server.url, { lake, filter: { domain: "web" } });
    await mkdir(old, { recursive: true });
    await writeFile(join(old, "records.parquet.part"), "x");
    const young = join(lake, "incoming", "1".repeat(64));
    await mkdir(young);
    const past = new Date(Date.now() - 15 * 86_400_000);
    await utimes(join(old, "records.parquet.part"), past, past);
    await utimes(old, past, past);
    await pullSlices(server.url, { lake });
    expect(await readdir(join(lake, "incoming"))).toEqual(["1".repeat(64)]);
  });

  test("a folder that is something else is not made a lake of", async () => {
    await mkdir(lake);
    await writeFile(join(lake, "thesis.txt"), "mine");
    await expect(pullSlices(server.url, { lake })).rejects.toMatchObject({ code: "lake_foreign" });
    expect(await readdir(lake)).toEqual(["thesis.txt"]);
  });
});

describe("a source that is not to be trusted", () => {
  const publishing = async (change: (index: { slices: Record<string, unknown>[] }) => void) => {
    const index = JSON.parse(await readFile(join(set.out, "index.json"), "utf8"));
    change(index);
    const out = join(dir, "evil");
    await mkdir(out);
    await writeFile(join(out, "index.json"), JSON.stringify(index));
    await server.close();
    server = await FaultServer.start(out);
    return out;
  };

  test.each([
    ["a root that is a path", { root: "../../../../tmp/x" }],
    ["a size that is none", { bytes: -1 }],
    ["a size beyond all", { bytes: 1e300 }],
    ["no counts", { counts: null }],
  ])("refuses an index with %s", async (_name, change) => {
    await publishing(({ slices }) => Object.assign(slices[0]!, change));
    await expect(pullSlices(server.url, { lake })).rejects.toMatchObject({ code: "source_invalid" });
  });

  test("refuses an index of a newer format, and one that lists a slice twice", async () => {
    await publishing((index) => Object.assign(index, { formatVersion: 9 }));
    await expect(pullSlices(server.url, { lake })).rejects.toMatchObject({ code: "source_newer_format" });
    await rm(join(dir, "evil"), { recursive: true });
    await publishing(({ slices }) => slices.push(slices[0]!));
    await expect(pullSlices(server.url, { lake })).rejects.toMatchObject({ code: "source_invalid" });
  });

  test.each([
    ["the manifest of another slice", (manifests: string[]) => manifests[1]!],
    [
      "a manifest whose files lie elsewhere",
      (manifests: string[]) => manifests[0]!.replaceAll("records.parquet", "../../records.parquet"),
    ],
    [
      "a manifest with another size",
      (manifests: string[]) => manifests[0]!.replace(/"bytes": \d+/, '"bytes": 7'),
    ],
    ["no JSON", () => "<html>"],
  ])("refuses %s, and writes no file of it", async (_name, forge) => {
    const out = await publishing(() => {});
    const roots = rootsOf(set.manifests);
    const texts = await Promise.all(
      roots.map((root) => readFile(join(set.out, root, "datapackage.json"), "utf8")),
    );
    await mkdir(join(out, roots[0]!));
    await writeFile(join(out, roots[0]!, "datapackage.json"), forge(texts));
    const error = await pullSlices(server.url, { lake, roots: [roots[0]!] }).catch(
      (thrown: unknown) => thrown,
    );
    expect((error as { code: string }).code).toMatch(/^(manifest_mismatch|slice_[a-z_]+)$/);
    expect(await readdir(join(lake, "incoming", roots[0]!))).toEqual([]);
    expect(await readdir(dir)).toEqual(["evil", "lake"]);
  });

  test("an address that leads from https to http is not followed to the end", async () => {
    const environment = {
      ...testEnvironment(),
      fetch: async () =>
        Object.defineProperty(new Response("{}"), "url", { value: "http://elsewhere/index.json" }),
    };
    await expect(pullSlices("https://host/", { lake, environment })).rejects.toMatchObject({
      code: "source_untrusted",
    });
  });
});

describe("its parts", () => {
  test("slices that others supersede are not fetched", () => {
    const [a, b, c] = set.manifests.map(indexEntry);
    const newer = { ...b!, supersedes: [a!.root] };
    const held = [{ root: "f".repeat(64), supersedes: [c!.root] }];
    const chosen = selectSlices([a!, newer, c!], { filter: {}, held });
    expect(chosen.wanted).toEqual([newer]);
    expect(chosen.superseded).toEqual([a, c]);
    const cut = {
      ...c!,
      root: "e".repeat(64),
      supersedes: [c!.root],
      cutFrom: { root: c!.root, byAge: false },
    };
    expect(selectSlices([cut], { filter: {}, held }).superseded).toEqual([cut]);
    expect(selectSlices([cut], { filter: {}, held: [] }).wanted).toEqual([cut]);
  });

  test("a rate is kept to on the average", async () => {
    const environment = testEnvironment();
    const began = environment.now();
    const limiter = new RateLimiter(1_000_000, environment);
    for (let i = 0; i < 100; i++) await limiter.take(50_000);
    expect(environment.now() - began).toBe(5000);
  });

  test("speed and time left come from what was fetched, not from what was there", () => {
    let now = 0;
    const seen: { done: number; speed?: number; leftMs?: number }[] = [];
    const meter = new TransferMeter(
      10_000_000,
      2,
      () => now,
      (progress) => seen.push(progress),
    );
    meter.kept(5_000_000);
    expect(seen.at(-1)).toEqual({ done: 5_000_000, total: 10_000_000, filesDone: 0, files: 2 });
    for (let i = 0; i < 20; i++) {
      now += 100;
      meter.received(100_000);
    }
    const { done, speed, leftMs } = seen.at(-1)!;
    expect(done).toBe(7_000_000);
    expect(speed).toBeCloseTo(1_000_000, -1);
    expect(leftMs).toBeCloseTo(3000, -1);
  });
});

async function zipped(path: string, prefix: string, change?: (bytes: Buffer) => void): Promise<void> {
  const members: { name: string; data: Buffer }[] = [];
  for (const root of await readdir(set.out)) {
    if (root === "index.json") continue;
    for (const name of await readdir(join(set.out, root))) {
      const data = await readFile(join(set.out, root, name));
      if (name === "records.parquet") change?.(data);
      members.push({ name: `${prefix}${root}/${name}`, data });
    }
  }
  await writeFile(path, zipOf(members));
}
