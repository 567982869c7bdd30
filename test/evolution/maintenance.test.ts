import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import {
  appendFile,
  chmod,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  truncate,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { diagnoseLake } from "../../src/client/diagnose-lake.js";
import { openLake } from "../../src/client/open-lake.js";
import { installSlices } from "../../src/lake/install/install-slices.js";
import type { InstallProgress } from "../../src/lake/install/publish-generation.js";
import { Lake } from "../../src/lake/lake.js";
import { compactLake } from "../../src/lake/maintain/compact-lake.js";
import { gcLake } from "../../src/lake/maintain/gc-lake.js";
import { retainLake } from "../../src/lake/maintain/retain-lake.js";
import { currentDigest } from "../../src/lake/removals/removals-file.js";
import { type RemoveProgress, removeRecords } from "../../src/lake/removals/remove-records.js";
import { type VerifyProgress, verifyLake } from "../../src/lake/verify/verify-lake.js";
import { capture } from "../cli/capture.js";
import { EMBEDDER, QUICK, recordId, videos, write } from "./support.js";

let all: string;
let dir: string;
let lake: string;
beforeAll(async () => {
  all = await mkdtemp(join(tmpdir(), "mirrorlake-maintenance-"));
  await installSlices(await write(join(all, "a"), videos(0, 20)), { lake: join(all, "lake"), ...QUICK });
});
afterAll(() => rm(all, { recursive: true, force: true }));
beforeEach(async () => {
  dir = await mkdtemp(join(all, "test-"));
  lake = join(dir, "lake");
  await cp(join(all, "lake"), lake, { recursive: true });
});

/** Overwrites some bytes of a file; those of slices are not to be written to. */
async function damage(path: string, at: number): Promise<void> {
  const bytes = await readFile(path);
  bytes[at]! ^= 0xff;
  await chmod(path, 0o644);
  await writeFile(path, bytes);
}

const QUIET = { recall: false, threads: 0 } as const;

describe("verifyLake", () => {
  it("finds nothing wrong with a sound lake, removals and segments included, and measures recall again", {
    tags: "slow",
  }, async () => {
    await installSlices(await write(join(dir, "b"), videos(18, 24, 30, 1)), { lake, ...QUICK });
    const removing: (RemoveProgress & { readonly holds: boolean })[] = [];
    const { corpus } = await removeRecords(
      [
        { kind: "record", id: recordId(3) },
        { kind: "author", id: "uid2" },
      ],
      {
        lake,
        reason: "test",
        onProgress: (progress) => removing.push({ ...progress, holds: currentDigest(lake) !== undefined }),
      },
    );
    // What is left is hashed once the removals hold.
    expect(new Set(removing.map(({ phase, holds }) => `${phase} ${holds}`))).toEqual(
      new Set(["find false", "hide false", "hash true"]),
    );
    expect(removing[0]).toMatchObject({ phase: "find", done: 0, total: 2, unit: "targets" });
    expect(removing.filter(({ phase }) => phase === "hide").map(({ done }) => done)).toEqual([
      0, 1, 2, 3, 4, 5, 6, 7,
    ]);
    const { done, total } = removing.at(-1)!;
    expect([done, total > 0]).toEqual([total, true]);
    const opened = await openLake(lake);
    const count = async (view: string) =>
      Number((await opened.sql(`SELECT count(*) AS n FROM ${view}`))[0]!.n);
    const shown = {
      records: await count("records"),
      raw: (await count("comments")) + (await count("videos")) + (await count("prices")),
    };
    await opened.close();
    expect(shown.records).toBeLessThan(24);
    const seen = new Map<string, VerifyProgress[]>();
    const onProgress = (progress: VerifyProgress) =>
      seen.set(progress.phase, [...(seen.get(progress.phase) ?? []), progress]);
    expect(await verifyLake(lake, { threads: 0, onProgress })).toMatchObject({
      ok: true,
      generation: 2,
      slices: 2,
      records: 26,
      shown,
      provenance: { canonical: 26, otherwise: 0 },
      corpus,
      problems: [],
    });
    expect((await capture(["verify", "--lake", lake, "--no-recall"])).out).toContain(
      `\nshown: ${shown.records} records and ${shown.raw} raw items; the others were replaced or removed\n`,
    );
    const all = [...seen.values()].flat();
    expect(all.filter(({ done, total }) => total === 0 || done > total)).toEqual([]);
    const countsOf = (phase: VerifyProgress["phase"]) => {
      const counts = seen.get(phase)!;
      expect(counts.map(({ done }) => done)).toEqual(
        counts.map(({ done }) => done).toSorted((a, b) => a - b),
      );
      const { done, total, unit } = counts.at(-1)!;
      return { first: counts[0]!.done, left: total - done, unit, parts: counts.length };
    };
    expect(countsOf("removals")).toEqual({ first: 0, left: 0, unit: "steps", parts: 8 });
    expect(countsOf("generation")).toMatchObject({ first: 0, left: 0, unit: "rows" });
    expect(countsOf("generation").parts).toBeGreaterThan(4);
    expect(countsOf("recall")).toMatchObject({ first: 0, left: 0, unit: "questions" });
    expect(countsOf("corpus")).toMatchObject({ first: 0, left: 0, unit: "rows" });
  });

  it("finds a flipped byte in a slice", { tags: "slow" }, async () => {
    const [root] = await readdir(join(lake, "slices"));
    await damage(join(lake, "slices", root!, "records.parquet"), 100);
    const { ok, problems } = await verifyLake(lake, QUIET);
    expect(ok).toBe(false);
    expect(problems).toEqual([
      expect.objectContaining({ code: "slice_corrupt", remedy: expect.any(String) }),
    ]);
  });

  it("finds a slice that is gone", async () => {
    const [root] = await readdir(join(lake, "slices"));
    await rm(join(lake, "slices", root!), { recursive: true });
    const { problems } = await verifyLake(lake, QUIET);
    expect(problems.map(({ code }) => code)).toContain("slice_missing");
  });

  it("finds stores and indexes that are not those of the slices", { tags: "slow" }, async () => {
    const other = join(dir, "other");
    await installSlices(await write(join(dir, "b"), videos(0, 20, undefined, 1)), { lake: other, ...QUICK });
    const at = (of: string, ...path: string[]) => join(of, "generations", "1", ...path);
    for (const [path, code] of [
      [["segments", "0000"], "row_store_differs"],
      [["search", "segment-0000", "keyword"], "postings_differ"],
    ] as const) {
      const mine = at(lake, ...path);
      const kept = `${mine}.kept`;
      await rename(mine, kept);
      await cp(at(other, ...path), mine, { recursive: true });
      const { problems } = await verifyLake(lake, QUIET);
      if (code === "row_store_differs") expect(problems.map((p) => p.code)).toContain(code);
      await rm(mine, { recursive: true });
      await rename(kept, mine);
    }
    expect((await verifyLake(lake, QUIET)).ok).toBe(true);
  });

  it("finds rows that should be hidden and are not", { tags: "slow" }, async () => {
    await removeRecords([{ kind: "record", id: recordId(3) }], { lake, reason: "test" });
    const [name] = await readdir(join(lake, "removed"));
    const path = join(lake, "removed", name!);
    // As releases before 0.2.0 wrote it.
    const { sha256: _, ...rows } = JSON.parse(await readFile(path, "utf8"));
    await writeFile(path, JSON.stringify({ ...rows, records: [] }));
    const { problems } = await verifyLake(lake, QUIET);
    expect(problems.map(({ code }) => code)).toContain("removed_rows_differ");
  });

  it("finds a changed digit among the rows to hide, which shows nothing that was removed", {
    tags: "slow",
  }, async () => {
    await removeRecords([{ kind: "record", id: recordId(3) }], { lake, reason: "test" });
    const [name] = await readdir(join(lake, "removed"));
    const path = join(lake, "removed", name!);
    const text = await readFile(path, "utf8");
    const changed = text.replace(/"records":\[(\d*)(\d)\]/, (_, rest, digit) => {
      return `"records":[${rest}${(Number(digit) + 1) % 10}]`;
    });
    expect(changed).not.toBe(text);
    await writeFile(path, changed);
    const open = await Lake.open(lake);
    try {
      expect(await open.corpus.recordRow(recordId(3))).toBeUndefined();
      expect(open.corpus.recordCount).toBe(19);
    } finally {
      await open.close();
    }
    const { problems } = await verifyLake(lake, QUIET);
    expect(problems).toMatchObject([{ code: "removals_unresolved", value: path }]);
  });
});

describe("diagnoseLake and gcLake", () => {
  const codes = async () => (await diagnoseLake(lake)).findings.map(({ code }) => code);

  /** The lake's first finding is an error that names a rebuild as the remedy, and after it nothing is found. */
  async function expectRebuildMends(): Promise<void> {
    const [finding] = (await diagnoseLake(lake)).findings;
    expect(finding).toMatchObject({
      level: "error",
      remedy: `mirrorlake install ${lake}/slices --lake ${lake} --rebuild`,
    });
    await installSlices([join(lake, "slices")], { lake, rebuild: true, ...QUICK });
    expect(await codes()).toEqual([]);
  }

  it("says nothing of a sound lake", async () => {
    expect(await codes()).toEqual([]);
    expect(await gcLake({ lake })).toMatchObject({ items: [] });
  });

  it("writes commands that a shell takes as they are, whatever the lake's folder is called", async () => {
    const odd = join(dir, 'moved 1 $HOME "x" `y`');
    await rename(lake, odd);
    const words = (command: string) =>
      execFileSync("/bin/sh", ["-c", `set -- ${command}; printf '%s\\0' "$@"`], { encoding: "utf8" })
        .split("\0")
        .slice(0, -1);
    const remedies = async () => (await diagnoseLake(odd)).findings.map(({ remedy }) => words(remedy));
    await mkdir(join(odd, "generations", "7"));
    await removeRecords([{ kind: "record", id: recordId(3) }], { lake: odd, reason: "test" });
    expect(await remedies()).toEqual([
      ["mirrorlake", "compact", "--lake", odd],
      ["mirrorlake", "gc", "--lake", odd],
    ]);
    await rm(join(odd, "CURRENT"));
    expect(await remedies()).toEqual([["mirrorlake", "gc", "--lake", odd]]);
    await rm(join(odd, "generations"), { recursive: true });
    expect(await remedies()).toEqual([["mirrorlake", "install", join(odd, "slices"), "--lake", odd]]);
    await writeFile(join(odd, "CURRENT"), "none");
    const rebuild = ["mirrorlake", "install", join(odd, "slices"), "--lake", odd, "--rebuild"];
    expect(await remedies()).toEqual([rebuild]);
  });

  it("sees leftovers, which a collection removes, though not on a dry run", async () => {
    await mkdir(join(lake, "slices", ".tmp-999999999-0", "x"), { recursive: true });
    await mkdir(join(lake, "generations", "7"), { recursive: true });
    await writeFile(join(lake, "generations", "7", "file"), "12345");
    await mkdir(join(lake, "slices", "ab".repeat(32)), { recursive: true });
    expect((await diagnoseLake(lake)).findings).toEqual([
      expect.objectContaining({
        level: "warning",
        code: "leftovers",
        remedy: `mirrorlake gc --lake ${lake}`,
      }),
    ]);
    const dry = await gcLake({ lake, dryRun: true });
    expect(dry.items.map(({ kind }) => kind).sort()).toEqual(["generation", "slice", "temporary"]);
    expect(dry.bytes).toBe(5);
    expect(await codes()).toEqual(["leftovers"]);
    expect((await gcLake({ lake })).items).toEqual(dry.items);
    expect(await codes()).toEqual([]);
  });

  it("removes leftovers before a compaction or a retention builds another generation, which would stand beside them", async () => {
    const left = join(lake, "generations", ".tmp-999999999-0");
    const leave = () => mkdir(left, { recursive: true });
    await leave();
    const seen: boolean[] = [];
    const phases: string[] = [];
    const onProgress = ({ phase }: InstallProgress) => {
      phases.push(phase);
      if (phase === "verify") seen.push(existsSync(left));
    };
    await compactLake({ lake, refit: true, onProgress, embedder: EMBEDDER });
    expect(new Set(seen)).toEqual(new Set([false]));
    // It hashes what is shown at its beginning and at its end, which of many records takes seconds.
    expect([phases[0], phases.at(-1)]).toEqual(["verify", "verify"]);
    await leave();
    phases.length = 0;
    await retainLake({ lake, olderThan: "9000d", dryRun: true, onProgress });
    expect(existsSync(left)).toBe(true);
    expect([...new Set(phases)]).toEqual(["verify"]);
    await retainLake({ lake, olderThan: "9000d", embedder: EMBEDDER });
    expect(existsSync(left)).toBe(false);
  });

  it("collects what killed processes of earlier releases were writing", async () => {
    await mkdir(join(lake, "removed"), { recursive: true });
    const left = [join(lake, ".author-salt-17-0123abcd"), join(lake, "removed", ".3-17")];
    for (const path of left) await writeFile(path, "half");
    const { items } = await gcLake({ lake });
    expect(items.map(({ path }) => path)).toEqual(left);
    expect(await codes()).toEqual([]);
  });

  it("never collects what a reader holds", { tags: "slow" }, async () => {
    const reader = await Lake.open(lake, { embedder: EMBEDDER });
    await installSlices(await write(join(dir, "b"), videos(18, 24, 30, 1)), { lake, ...QUICK });
    expect(await gcLake({ lake })).toMatchObject({ items: [] });
    expect(await reader.corpus.recordRow(recordId(1))).toBeDefined();
    expect((await reader.corpus.records([0])).length).toBe(1);
    await reader.close();
    expect((await gcLake({ lake })).items).toEqual([expect.objectContaining({ kind: "generation" })]);
  });

  it("names the command for a missing CURRENT, which then works", async () => {
    await rm(join(lake, "CURRENT"));
    const { ok, findings } = await diagnoseLake(lake);
    expect(ok).toBe(false);
    expect(findings).toContainEqual(
      expect.objectContaining({ code: "lake_current_missing", remedy: `mirrorlake gc --lake ${lake}` }),
    );
    await gcLake({ lake });
    expect(await codes()).toEqual([]);
  });

  it("names the command where every generation is gone, which then works", async () => {
    await rm(join(lake, "CURRENT"));
    await rm(join(lake, "generations"), { recursive: true });
    const { findings } = await diagnoseLake(lake);
    expect(findings[0]!.remedy).toBe(`mirrorlake install ${join(lake, "slices")} --lake ${lake}`);
    await installSlices([join(lake, "slices")], { lake, ...QUICK });
    expect(await codes()).toEqual([]);
    expect((await verifyLake(lake, QUIET)).ok).toBe(true);
  });

  it("names the command for a damaged generation, which then works", async () => {
    await rm(join(lake, "generations", "1", "segments", "0000", "records.keys"));
    await expectRebuildMends();
  });

  it.each(["INDEX", "KEYWORD", "VECTORS"])(
    "names the command for a damaged search index, which then works: %s",
    async (part) => {
      const search = join(lake, "generations", "1", "search");
      const names = await readdir(search, { recursive: true });
      const pattern = {
        INDEX: /^index\.json$/,
        KEYWORD: /keyword.*\.json$/,
        VECTORS: /vectors\.f32$/,
      };
      const name = names.find((each) => pattern[part as keyof typeof pattern].test(each));
      expect(name, names.join()).toBeDefined();
      await truncate(join(search, name!), 3);
      await expectRebuildMends();
    },
  );

  it("sees a damaged ledger, a newer format and missing removals", async () => {
    const client = await openLake(lake, { limits: "off" });
    for (let n = 0; n < 5; n++) await client.search({ query: "giraffe1", freshness: "90d" });
    await client.close();
    const account = join(lake, "account", "account.db");
    const bytes = await readFile(account);
    bytes.fill(0x78, bytes.length >> 1);
    await writeFile(account, bytes);
    expect((await diagnoseLake(lake)).findings).toContainEqual(
      expect.objectContaining({ code: "ledger_corrupt", remedy: `mirrorlake account repair --lake ${lake}` }),
    );
    await writeFile(join(lake, "mirrorlake.json"), '{"formatVersion": 2}');
    expect(await codes()).toContain("removals_missing");
    await writeFile(join(lake, "mirrorlake.json"), '{"formatVersion": 99}');
    expect((await diagnoseLake(lake)).findings).toEqual([
      expect.objectContaining({ code: "lake_newer_format", remedy: "update mirrorlake" }),
    ]);
    await appendFile(join(lake, "mirrorlake.json"), "}");
    expect(await codes()).toEqual(["lake_settings_invalid"]);
  });
});
