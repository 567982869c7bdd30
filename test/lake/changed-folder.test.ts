import { cp, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { openLake } from "../../src/client/open-lake.js";
import { installSlices } from "../../src/lake/install/install-slices.js";
import { Lake } from "../../src/lake/lake.js";
import { compactLake } from "../../src/lake/maintain/compact-lake.js";
import { gcLake } from "../../src/lake/maintain/gc-lake.js";
import { removeRecords } from "../../src/lake/removals/remove-records.js";
import { verifyLake } from "../../src/lake/verify/verify-lake.js";
import { publishSlices } from "../../src/transfer/publish/publish-slices.js";
import { pullSlices } from "../../src/transfer/pull/pull-slices.js";
import { COMPACT, EMBEDDER, QUICK, recordId, videos, write } from "../evolution/support.js";

const before = process.cwd();
let all: string;
let here: string;
let elsewhere: string;
beforeAll(async () => {
  all = await mkdtemp(join(tmpdir(), "mirrorlake-changed-folder-"));
  await write(join(all, "a"), videos(0, 10));
  await write(join(all, "b"), videos(10, 20));
  for (const name of ["a", "b"])
    await installSlices([join(all, name)], { lake: join(all, `lake-${name}`), ...QUICK });
});
afterAll(() => rm(all, { recursive: true, force: true }));
beforeEach(async () => {
  const dir = await mkdtemp(join(all, "test-"));
  here = join(dir, "here");
  elsewhere = join(dir, "elsewhere");
  await cp(join(all, "lake-a"), join(here, "lake"), { recursive: true });
  await cp(join(all, "a"), join(here, "slices"), { recursive: true });
  await cp(join(all, "lake-b"), join(elsewhere, "lake"), { recursive: true });
  process.chdir(here);
});
afterEach(() => process.chdir(before));

const GONE = { kind: "record", id: recordId(3) } as const;

it("an open lake stays the same one when the process goes to another folder", async () => {
  const client = await openLake("lake", { embedder: EMBEDDER });
  const lake = await Lake.open("lake");
  try {
    process.chdir(elsewhere);
    await removeRecords([GONE], { lake: join(here, "lake"), reason: "test" });
    expect(await lake.corpus.recordRow(recordId(3))).toBeUndefined();
    await client.refresh();
    const ids = Array.from({ length: 10 }, (_, n) => recordId(n)).filter((id) => id !== recordId(3));
    expect(await client.sql("SELECT id FROM records ORDER BY id")).toEqual(ids.map((id) => ({ id })));
    const { data, meta } = await client.search({ query: "giraffe4", freshness: "90d" });
    expect(data.map(({ id }) => id)).toContain(recordId(4));
    // The call was charged to the account of the lake that was opened.
    expect(meta.used_free_quota).toBe(true);
    expect(await readdir(join(here, "lake"))).toContain("account");
    expect(await readdir(join(elsewhere, "lake"))).not.toContain("account");
  } finally {
    await client.close();
    await lake.close();
  }
});

it.each([
  ["installs", () => installSlices(["slices"], { lake: "lake", ...QUICK, rebuild: true })],
  ["removes", () => removeRecords([GONE], { lake: "lake", reason: "test" })],
  ["compacts", () => compactLake({ lake: "lake", ...COMPACT, refit: true })],
  ["collects", () => gcLake({ lake: "lake" })],
  ["verifies", () => verifyLake("lake", { recall: false, threads: 0 })],
  ["publishes", () => publishSlices(["lake"], { out: "public" })],
  ["pulls", () => pullSlices("slices", { lake: "new", embedder: EMBEDDER })],
] as const)("%s where it was called", async (_, work) => {
  const other = join(elsewhere, "other");
  await mkdir(other);
  const working = work();
  process.chdir(other);
  await working;
  expect(await readdir(other)).toEqual([]);
  process.chdir(here);
  expect(await verifyLake("lake", { recall: false, threads: 0 })).toMatchObject({ ok: true });
});

/** Puts the lake of records 10 to 19, of the same generation's number, in the place of that of records 0 to 9. */
async function restore(): Promise<void> {
  await rm(join(here, "lake"), { recursive: true });
  await cp(join(elsewhere, "lake"), join(here, "lake"), { recursive: true });
}
const NEW_IDS = Array.from({ length: 10 }, (_, n) => recordId(10 + n));

it("a lake whose folder another took the place of is that one after a refresh", async () => {
  const client = await openLake("lake", { embedder: EMBEDDER, account: "memory" });
  try {
    expect(await client.sql("SELECT count(*) AS n FROM records")).toEqual([{ n: 10 }]);
    await restore();
    await client.refresh();
    const { data } = await client.search({ query: "giraffe14", freshness: "90d" });
    expect(data.map(({ id }) => id)).toContain(recordId(14));
    expect(await client.sql("SELECT id FROM records ORDER BY id")).toEqual(NEW_IDS.map((id) => ({ id })));
  } finally {
    await client.close();
  }
});

it("a removal from a lake that took the place of an open one hides what it names", async () => {
  const client = await openLake("lake", { embedder: EMBEDDER, account: "memory" });
  try {
    await restore();
    await removeRecords([{ kind: "record", id: recordId(14) }], { lake: join(here, "lake"), reason: "test" });
    const ids = async (query: string) => {
      const { data } = await client.search({ query, freshness: "90d", limit: 100 });
      return data.map(({ id }) => id);
    };
    expect(await ids("giraffe14 giraffe15")).not.toContain(recordId(14));
    for (const n of [15, 18]) expect((await ids(`giraffe${n}`))[0]).toBe(recordId(n));
    expect(await client.sql("SELECT id FROM records ORDER BY id")).toEqual(
      NEW_IDS.filter((id) => id !== recordId(14)).map((id) => ({ id })),
    );
  } finally {
    await client.close();
  }
});
