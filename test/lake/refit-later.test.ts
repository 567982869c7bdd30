import { cp, mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Interruption } from "../../src/cli/context.js";
import { runCli } from "../../src/cli/program.js";
import { diagnoseLake } from "../../src/client/diagnose-lake.js";
import { openLake } from "../../src/client/open-lake.js";
import type { JobAnswer } from "../../src/console/answers.js";
import { createConsole } from "../../src/console/console.js";
import { takeInstallLock } from "../../src/lake/install/install-lock.js";
import type { InstallOptions } from "../../src/lake/install/install-options.js";
import { installSlices } from "../../src/lake/install/install-slices.js";
import type { InstallProgress } from "../../src/lake/install/publish-generation.js";
import { Lake } from "../../src/lake/lake.js";
import { removeRecords } from "../../src/lake/removals/remove-records.js";
import { verifyLake } from "../../src/lake/verify/verify-lake.js";
import { SEARCH_DEFAULTS } from "../../src/search/defaults.js";
import { readIndexManifest } from "../../src/search/index-manifest.js";
import { writeSlices } from "../../src/staging/write-slices.js";
import { readGenerationManifest } from "../../src/store/generation/generation-manifest.js";
import { pullSlices } from "../../src/transfer/pull/pull-slices.js";
import { batches, INFO, makeAlike, makeItems, makeRecord } from "./items.js";

/** Records of a lake, and so many more that they are over a third of it and make it too large to be refitted first. */
const [BEFORE, MORE] = [1_900, 640];
const ALL = BEFORE + MORE;
const QUERIES = ["camera phone", "noticias de café", "手机"];

let dir: string;
/** The lake before the others come. */
let before: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-refit-later-"));
  await write("first", makeAlike(0, BEFORE));
  await write("more", makeAlike(BEFORE, ALL));
  await write("last", makeAlike(ALL, ALL + 1));
  before = join(dir, "before");
  await add(before, ["first"]);
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const write = (name: string, items: Parameters<typeof batches>[0]) =>
  writeSlices(batches(items), { out: join(dir, name), info: INFO });

const add = (lake: string, names: readonly string[], options: Partial<InstallOptions> = {}) =>
  installSlices(
    names.map((name) => join(dir, name)),
    { lake, threads: 1, ...options },
  );

const copyOfLake = () => copyOf(before);

async function copyOf(lake: string): Promise<string> {
  const copy = await mkdtemp(join(dir, "copy-"));
  await cp(lake, copy, { recursive: true });
  return copy;
}

async function currentOf(lake: string) {
  const number = (await readFile(join(lake, "CURRENT"), "utf8")).trim();
  const path = join(lake, "generations", number);
  const { segments, grown } = await readGenerationManifest(path);
  const { fit } = await readIndexManifest(join(path, "search"));
  return { path, segments: segments.map(({ records }) => records), grown, fitted: fit?.documents };
}

/** The inodes of the files that hold rows and postings. */
async function rowsAndPostings(generation: string): Promise<number[]> {
  const inodes = [(await stat(join(generation, "corpus.duckdb"))).ino];
  for (const folder of ["segments", "search"]) {
    const names = await readdir(join(generation, folder), { recursive: true, withFileTypes: true });
    for (const { name, parentPath } of names.filter((entry) => entry.isFile()))
      if (folder === "segments" || parentPath.endsWith("keyword"))
        inodes.push((await stat(join(parentPath, name))).ino);
  }
  return inodes.toSorted();
}

async function opened<T>(lake: string, use: (lake: Lake) => Promise<T>): Promise<T> {
  const open = await Lake.open(lake, { exact: true });
  try {
    return await use(open);
  } finally {
    await open.close();
  }
}

const ranked = (lake: string) =>
  opened(lake, ({ corpus, index }) =>
    Promise.all(
      QUERIES.map(async (query) => {
        const { rows, scores } = await index.rank(query, corpus.match({}), { limit: 30 });
        return [(await corpus.records(rows)).map(({ id }) => id), scores];
      }),
    ),
  );

const lastId = makeRecord((ALL - 1) * 3 + 1).id;
const refitting = { kind: "refit", reason: "growth", records: ALL };

describe("the embedder of a lake of some thousand records", () => {
  it("is refitted once what came can be searched, and as if all had come at once", async () => {
    const lake = await copyOfLake();
    const found: Promise<unknown>[] = [];
    const events: InstallProgress[] = [];
    const report = await add(lake, ["more"], {
      onProgress: (progress) => {
        events.push(progress);
        if (progress.phase !== "rebuild") return;
        const seen = async () => {
          const { path, ...facts } = await currentOf(lake);
          const row = await opened(lake, ({ corpus }) => corpus.recordRow(lastId));
          return { ...facts, row, inodes: await rowsAndPostings(path) };
        };
        found.push(seen());
      },
    });
    const { path, ...now } = await currentOf(lake);
    const inodes = await rowsAndPostings(path);
    expect(await Promise.all(found)).toEqual([
      { segments: [BEFORE, MORE], grown: MORE, fitted: BEFORE, row: expect.any(Number), inodes },
    ]);
    expect(now).toEqual({ segments: [BEFORE, MORE], grown: 0, fitted: ALL });
    const refitFrom = events.findIndex(({ phase }) => phase === "rebuild");
    expect(events[refitFrom - 1]).toMatchObject({ phase: "publish", done: 1 });
    expect(events.filter(({ done, total }) => done > total)).toEqual([]);
    const refit = (phase: InstallProgress["phase"]) =>
      events
        .slice(refitFrom)
        .filter((event) => event.phase === phase)
        .map(({ done, total, unit }) => [done, total, unit]);
    expect(refit("fit")[0]).toEqual([0, 1_536, "dimensions"]);
    expect(refit("fit").at(-1)).toEqual([1_536, 1_536, "dimensions"]);
    expect(refit("quantize")[0]).toEqual([0, ALL, "records"]);
    // Small sets are scored exactly: nothing has to be asked.
    const asked = Math.min(BEFORE, 128) + Math.min(MORE, 128);
    // Exactly, and at each width of scans.
    const most = (1 + SEARCH_DEFAULTS.vector.scans.length) * asked;
    expect(refit("certify")[0]).toEqual([0, most, "questions"]);
    expect(refit("certify").at(-1)).toEqual([most, most, "questions"]);
    expect(report).toMatchObject({
      change: "added",
      records: { added: MORE, replaced: 0, outdated: 0 },
      total: { records: ALL },
      rebuild: refitting,
      refit: { records: ALL },
      merge: undefined,
    });
    const once = join(dir, "once");
    expect((await add(once, ["first", "more"])).refit).toBeUndefined();
    expect(await ranked(lake)).toEqual(await ranked(once));
    expect((await verifyLake(lake)).problems).toEqual([]);
    const again = await add(lake, ["more"]);
    expect([again.change, again.generation, again.refit]).toEqual(["none", report.generation, undefined]);
  });

  it("stays as it is when the refit is aborted: all is installed, and the next install refits it", async () => {
    const lake = await copyOfLake();
    for (const [i, phase] of (["rebuild", "embed"] as const).entries()) {
      const stop = new AbortController();
      let publications = 0;
      const report = await add(lake, [i === 0 ? "more" : "last"], {
        signal: stop.signal,
        onProgress: (progress) => {
          if (progress.phase === "publish" && progress.done === 1) publications += 1;
          if (progress.phase === phase && publications === 1) stop.abort();
        },
      });
      expect(report).toMatchObject({
        change: "added",
        records: { added: i === 0 ? MORE : 1 },
        rebuild: { ...refitting, reason: i === 0 ? "growth" : "fit", records: ALL + i },
        refit: { records: 0, ended: "aborted" },
      });
      expect(await currentOf(lake)).toMatchObject({ grown: MORE + i, fitted: BEFORE });
      expect(await opened(lake, ({ corpus }) => corpus.recordRow(lastId))).toBeDefined();
      expect((await verifyLake(lake)).problems).toEqual([]);
    }
    const refitDue = expect.objectContaining({ level: "note", code: "refit_due" });
    expect((await diagnoseLake(lake)).findings).toContainEqual(refitDue);
    const [pulled, bare] = [await copyOf(lake), await copyOf(lake)];
    // Nothing comes, but what is left to do is done.
    const again = await add(lake, ["more"]);
    expect(again).toMatchObject({
      change: "none",
      records: { added: 0 },
      total: { records: ALL + 1 },
      rebuild: { ...refitting, reason: "fit", records: ALL + 1 },
      refit: { records: ALL + 1 },
    });
    expect(await readFile(join(lake, "CURRENT"), "utf8")).toBe(`${again.generation}\n`);
    expect(await currentOf(lake)).toMatchObject({ grown: 0, fitted: ALL + 1 });
    expect((await verifyLake(lake)).problems).toEqual([]);
    expect((await diagnoseLake(lake)).findings).not.toContainEqual(refitDue);
    const settled = await add(lake, ["more"]);
    expect([settled.generation, settled.rebuild, settled.refit]).toEqual([
      again.generation,
      undefined,
      undefined,
    ]);

    const pull = () => pullSlices(join(dir, "more"), { lake: pulled, threads: 1 });
    const lock = await takeInstallLock(pulled);
    expect((await pull()).install).toBeUndefined();
    await lock.release();
    expect((await pull()).install).toMatchObject({ change: "none", refit: { records: ALL + 1 } });
    expect(await currentOf(pulled)).toMatchObject({ grown: 0, fitted: ALL + 1 });
    expect(await ranked(pulled)).toEqual(await ranked(lake));
    expect((await pull()).install).toBeUndefined();

    // Of a lake with removals the embedder is to know nothing of what was removed: all is built again.
    await removeRecords([{ kind: "record", id: lastId }], { lake: bare, reason: "asked for" });
    const built = { change: "built", rebuild: { kind: "rebuild", reason: "fit" } };
    expect(await add(bare, ["more"])).toMatchObject(built);
    expect(await currentOf(bare)).toMatchObject({ segments: [ALL], fitted: ALL });
    expect((await verifyLake(bare)).problems).toEqual([]);
    expect((await add(bare, ["more"])).change).toBe("none");
  });

  it("lets a command end by its interruption, which says what is done", { tags: "slow" }, async () => {
    const lake = await copyOfLake();
    const install = ["install", join(dir, "more"), "--lake", lake];
    const ended = "The embedder is not refitted: it was interrupted. All is installed";
    const [code, out] = await run(install, { until: "embedding" });
    expect(code).toBe(130);
    expect(out).toContain(`${MORE} records and ${MORE} raw items added\n`);
    expect(out).toContain(ended);
    expect(out).not.toContain("embedder refitted");
    expect(await run(install)).toEqual([
      0,
      expect.stringContaining("nothing to install, embedder refitted\n"),
    ]);

    const pull = ["pull", join(dir, "more"), "--no-lock", "--lake"];
    const lakeOfPulls = await copyOfLake();
    const stopped = await run([...pull, lakeOfPulls], { until: "embedding" });
    expect(stopped).toEqual([130, expect.stringContaining(ended)]);
    expect(await run([...pull, lakeOfPulls])).toEqual([
      0,
      expect.stringContaining("nothing to pull: the lake has the slice, embedder refitted\n"),
    ]);
    expect(await run([...pull, await copyOfLake()])).toEqual([
      0,
      expect.stringMatching(/ pulled, embedder refitted\n/),
    ]);
  });

  it("lets the console show what came before it is refitted, and be stopped then", async () => {
    const lake = await openLake(await copyOfLake());
    const shown: number[] = [];
    const refresh = async () => {
      if (shown.length === 0) await ask("jobs/stop", { id: 1 });
      await lake.refresh();
      shown.push(lake.lake.generation);
    };
    const page = createConsole({ lake: Object.create(lake, { refresh: { value: refresh } }), version: "0" });
    let cookie = "";
    const ask = async (api: string, body?: object) => {
      const [method, sent] = body === undefined ? ["GET"] : ["POST", JSON.stringify(body)];
      const headers = { "content-type": "application/json", cookie, origin: "http://localhost" };
      return page.fetch(new Request(`http://localhost/console/api/${api}`, { method, headers, body: sent }));
    };
    const session = await ask("session", { token: page.token });
    cookie = session.headers.get("set-cookie")!.split(";")[0]!;
    await ask("jobs/start", { kind: "install", source: join(dir, "more") });
    const job = async () => (await (await ask("job?id=1")).json()) as JobAnswer;
    await expect.poll(async () => (await job()).state, { timeout: 60_000 }).toBe("done");
    expect((await job()).result).toMatchObject({ slices: 1, refit: { records: 0, ended: "aborted" } });
    expect(shown).toEqual([2, 2]);
    expect(await lake.lake.corpus.recordRow(lastId)).toBeDefined();
    await page.close();
    await lake.close();
  });

  it("is not refitted for raw items, however many come", async () => {
    const lake = await copyOfLake();
    await write(
      "raw",
      makeItems(30_000, 36_000).filter((item) => item.kind === "raw"),
    );
    const { change, raw, rebuild } = await add(lake, ["raw"]);
    expect([change, rebuild]).toEqual(["added", undefined]);
    expect(raw.added).toBeGreaterThan(BEFORE);
    expect(await currentOf(lake)).toMatchObject({ grown: 0, fitted: BEFORE });
  });
});

/** Runs a command, and interrupts it once it refits and says `until`; resolves to its exit code and its output. */
async function run(args: readonly string[], { until }: { readonly until?: string } = {}) {
  const stop = new AbortController();
  let [out, refits] = ["", false];
  const stream = (write: (text: string) => void) => ({ write, isTty: true, columns: 120, color: false });
  const code = await runCli(args, {
    out: stream((text) => {
      out += text;
    }),
    err: stream((text) => {
      if (text.includes("The embedder is refitted")) refits = true;
      if (refits && until !== undefined && text.includes(until)) stop.abort(new Interruption("SIGINT"));
    }),
    env: {},
    cwd: dir,
    signal: stop.signal,
  });
  return [code, out] as const;
}
