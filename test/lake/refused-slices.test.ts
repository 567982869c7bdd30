import { existsSync } from "node:fs";
import {
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  truncate,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { SliceError } from "../../src/contract/errors.js";
import { Database } from "../../src/duckdb/database.js";
import { INGEST_LIMITS } from "../../src/ingest/defaults.js";
import { readParquet } from "../../src/ingest/readers/read-parquet.js";
import { findSlices } from "../../src/lake/find-slices.js";
import { installSlices } from "../../src/lake/install/install-slices.js";
import { Lake } from "../../src/lake/lake.js";
import { verifySlice, verifySlices } from "../../src/slice/verify-slice.js";
import type { WrittenSlice } from "../../src/staging/publish-slice.js";
import { writeSlices } from "../../src/staging/write-slices.js";
import { batches, INFO, makeItems, makeRecord } from "./items.js";
import { makeWritable, overwrite, reseal, snapshot } from "./reseal.js";

let dir: string;
let lake: string;
let good: WrittenSlice;
let other: WrittenSlice;
let before: Record<string, string>;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-refused-"));
  lake = join(dir, "lake");
  await writeSlices(batches(makeItems(0, 30)), { out: join(dir, "installed"), info: INFO });
  await installSlices([join(dir, "installed")], { lake });
  before = await snapshot(lake);
  const slices = await writeSlices(batches(makeItems(100, 400)), { out: join(dir, "fresh"), info: INFO });
  const whole = slices.filter(({ manifest }) => manifest.mirrorlake.counts.vectors > 1);
  [good, other] = whole as [WrittenSlice, WrittenSlice];
});
afterAll(() => rm(dir, { recursive: true, force: true }));

/** A copy of the good slice under its own name, in a folder of its own. */
async function copy(name: string): Promise<string> {
  const target = join(dir, name, basename(good.dir));
  await cp(good.dir, target, { recursive: true });
  await makeWritable(target);
  return target;
}

/** Rewrites a Parquet file of a slice by a query over it. */
async function rewrite(slice: string, file: string, query: string): Promise<void> {
  const path = join(slice, file);
  await rename(path, `${path}.old`);
  const db = await Database.open(":memory:");
  await db.run(
    `COPY (${query.replace("$file", `read_parquet('${path}.old')`)}) TO '${path}' (FORMAT parquet)`,
  );
  await db.close();
  await rm(`${path}.old`);
}

const flip = async (path: string) => {
  const bytes = await readFile(path);
  bytes[bytes.length >> 1]! ^= 1;
  await overwrite(path, bytes);
};

const DAMAGE: readonly [name: string, code: string, damage: (slice: string) => Promise<unknown>][] = [
  ["a flipped bit in a Parquet file", "slice_corrupt", (s) => flip(join(s, "records.parquet"))],
  ["a flipped bit in the vectors", "slice_corrupt", (s) => flip(join(s, "vectors.arrow"))],
  ["a truncated Parquet file", "slice_truncated", (s) => truncate(join(s, "records.parquet"), 900)],
  ["an empty file", "slice_truncated", (s) => truncate(join(s, "vectors.arrow"), 0)],
  ["bytes after the end", "slice_corrupt", (s) => writeFile(join(s, "records.parquet"), "x", { flag: "a" })],
  ["a missing file", "slice_file_missing", (s) => rm(join(s, "vectors.arrow"))],
  ["a file that nobody named", "slice_extra_file", (s) => writeFile(join(s, "notes.txt"), "hello")],
  ["a folder in it", "slice_extra_file", (s) => mkdir(join(s, "more"))],
  [
    "a link in place of a file",
    "slice_not_a_file",
    async (s) => {
      await rename(join(s, "records.parquet"), join(s, "..", "outside.parquet"));
      await symlink(join(s, "..", "outside.parquet"), join(s, "records.parquet"));
    },
  ],
  [
    "a manifest that is not JSON",
    "slice_manifest_invalid",
    (s) => truncate(join(s, "datapackage.json"), 100),
  ],
  ["no manifest", "slice_foreign", (s) => rm(join(s, "datapackage.json"))],
  [
    "a data package of somebody else",
    "slice_foreign",
    (s) =>
      overwrite(join(s, "datapackage.json"), JSON.stringify({ name: "x", resources: [{ path: "a.csv" }] })),
  ],
  ["a manifest of null", "slice_foreign", (s) => overwrite(join(s, "datapackage.json"), "null")],
  [
    "a newer format",
    "slice_newer_format",
    (s) => reseal(s, (m) => Object.assign(m.mirrorlake, { formatVersion: 2, novelty: true })),
  ],
  [
    "a manifest edited by hand",
    "slice_root_mismatch",
    async (s) => {
      const path = join(s, "datapackage.json");
      await overwrite(path, (await readFile(path, "utf8")).replace('"MIT"', '"CC0"'));
    },
  ],
  [
    "a path that leaves the folder",
    "slice_unsafe_path",
    (s) => reseal(s, (m) => Object.assign(m.resources[0]!, { path: "../../outside.parquet" })),
  ],
  [
    "an absolute path",
    "slice_unsafe_path",
    (s) => reseal(s, (m) => Object.assign(m.resources[0]!, { path: "/etc/passwd" })),
  ],
  [
    "a hidden file",
    "slice_unsafe_path",
    (s) => reseal(s, (m) => Object.assign(m.resources[0]!, { path: ".." })),
  ],
  [
    "a path that is no text",
    "slice_manifest_invalid",
    (s) => reseal(s, (m) => Object.assign(m.resources[0]!, { path: 7 })),
  ],
  [
    "a file named twice",
    "slice_manifest_invalid",
    (s) => reseal(s, (m) => m.resources.push(m.resources[0]!)),
  ],
  [
    "rows that the manifest counts otherwise",
    "slice_manifest_invalid",
    (s) => reseal(s, (m) => Object.assign(m.resources[0]!, { rows: 7 })),
  ],
  [
    "a well-sealed file that is not Parquet",
    "slice_corrupt",
    async (s) => {
      await overwrite(join(s, "records.parquet"), "PAR1 but not really PAR1");
      await reseal(s);
    },
  ],
  [
    "a well-sealed Parquet file that was cut before sealing",
    "slice_corrupt",
    async (s) => {
      await truncate(join(s, "records.parquet"), 3000);
      await reseal(s);
    },
  ],
  [
    "well-sealed Parquet of other columns",
    "slice_content_mismatch",
    async (s) => {
      await rewrite(s, "records.parquet", "SELECT * EXCLUDE (title) FROM $file ORDER BY id");
      await reseal(s);
    },
  ],
  [
    "well-sealed records of another language",
    "slice_content_mismatch",
    async (s) => {
      await rewrite(s, "records.parquet", "SELECT * REPLACE ('tlh' AS lang) FROM $file ORDER BY id");
      await reseal(s);
    },
  ],
  [
    "well-sealed records captured in another month",
    "slice_content_mismatch",
    async (s) => {
      await rewrite(
        s,
        "records.parquet",
        "SELECT * REPLACE (0::BIGINT AS prov_ts_ms) FROM $file ORDER BY id",
      );
      await reseal(s);
    },
  ],
  [
    "well-sealed records out of order",
    "slice_content_mismatch",
    async (s) => {
      await rewrite(s, "records.parquet", "SELECT * FROM $file ORDER BY id DESC");
      await reseal(s);
    },
  ],
  [
    "fewer rows than the manifest says",
    "slice_content_mismatch",
    async (s) => {
      await rewrite(
        s,
        "records.parquet",
        "SELECT * FROM $file WHERE vector_row IS DISTINCT FROM 0 ORDER BY id",
      );
      await reseal(s);
    },
  ],
  [
    "vectors of other records",
    "slice_content_mismatch",
    async (s) => {
      await overwrite(join(s, "vectors.arrow"), await readFile(join(other.dir, "vectors.arrow")));
      await reseal(s, (m) => {
        const rows = other.manifest.mirrorlake.counts.vectors;
        m.resources.find((r) => r.name === "vectors")!.rows = rows;
        Object.assign(m.mirrorlake.counts as object, { vectors: rows });
      });
    },
  ],
  [
    "a platform slug with another code",
    "slice_content_mismatch",
    (s) => reseal(s, (m) => Object.assign(m.mirrorlake.platform as object, { code: "zzz" })),
  ],
];

describe("slices that are refused", () => {
  it.each(DAMAGE)("%s: %s", async (name, code, damage) => {
    const slice = await copy(name.replaceAll(" ", "-"));
    await damage(slice);
    const refusal = await verifySlice(slice).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(refusal).toBeInstanceOf(SliceError);
    const installing = installSlices([slice], { lake });
    await expect(installing).rejects.toBeInstanceOf(SliceError);
    const error = await installing.catch((caught: SliceError) => caught);
    // what a platform is, the manifests must agree on before any file is read
    const expected = name.startsWith("a platform slug") ? "slice_platform_conflict" : code;
    expect((error as SliceError).code).toBe(expected);
    expect((error as SliceError).message).toContain(basename(slice));
    expect((error as SliceError).remedy).not.toBe("");
    expect(String((error as SliceError).value)).not.toContain(".tmp-");
    expect(await snapshot(lake)).toEqual(before);
  });

  it("refuses all when one of many is bad, and takes the others without it", { tags: "slow" }, async () => {
    const bad = await copy("one-of-many");
    await flip(join(bad, "records.parquet"));
    await expect(installSlices([join(dir, "fresh"), bad], { lake })).resolves.toBeDefined();
    // the same root twice is one slice: the sound one was found first
    await rm(lake, { recursive: true });
    await installSlices([join(dir, "installed")], { lake });
    await expect(installSlices([bad, join(dir, "fresh")], { lake })).rejects.toMatchObject({
      code: "slice_corrupt",
    });
    expect(Object.keys(await snapshot(lake)).sort()).toEqual(Object.keys(before).sort());
    const open = await Lake.open(lake);
    expect(open.corpus.recordCount).toBe(30);
    expect(await open.corpus.recordRow(makeRecord(100).id)).toBeUndefined();
    await open.close();
  });

  it("names the first of several bad ones in their order, whichever is found first", async () => {
    // The first is damaged in its last rows, the second where a look at its folder tells.
    const [late, early] = [await copy("bad-late"), await copy("bad-early")];
    await rewrite(late, "records.parquet", "SELECT * FROM $file ORDER BY id DESC");
    await reseal(late);
    await writeFile(join(early, "more.txt"), "");
    const order = [good.dir, late, early, other.dir];
    await expect(verifySlices(order)).rejects.toMatchObject({ code: "slice_content_mismatch" });
    await expect(verifySlices(order.toReversed())).rejects.toMatchObject({ code: "slice_extra_file" });
  });

  it("says what is wrong with folders that hold no slice", async () => {
    await expect(installSlices([join(dir, "nowhere")], { lake })).rejects.toMatchObject({
      code: "slices_not_found",
    });
    await mkdir(join(dir, "empty"));
    await expect(installSlices([join(dir, "empty")], { lake })).rejects.toMatchObject({
      code: "slices_not_found",
    });
    await writeFile(join(dir, "file"), "");
    await expect(installSlices([join(dir, "file")], { lake })).rejects.toMatchObject({
      code: "slices_not_found",
    });
    const [nested, within] = [join(dir, "nested"), ["a", "b c", "d", "e"]];
    for (const name of within) await cp(good.dir, join(nested, name, "slice"), { recursive: true });
    await mkdir(join(nested, "other"));
    const [a, b, d] = within.map((name) => join(nested, name));
    await expect(installSlices([nested], { lake })).rejects.toMatchObject({
      code: "slices_not_found",
      remedy: `name the folders in it that hold slices: ${a} "${b}" ${d} and 1 more`,
    });
    const absent = join(dir, "absent");
    await expect(installSlices([join(dir, "empty")], { lake: absent })).rejects.toThrow();
    expect(await readdir(dir)).not.toContain("absent");
  });

  it("takes slices that links in a folder lead to, and passes by links that lead nowhere", async () => {
    const linked = join(dir, "linked");
    await mkdir(linked);
    await symlink(good.dir, join(linked, "good"));
    await symlink(join(dir, "nowhere"), join(linked, "gone"));
    await symlink("round", join(linked, "round"));
    await symlink(join(good.dir, "records.parquet"), join(linked, "file"));
    expect((await findSlices([linked])).map((found) => found.manifest.mirrorlake.root)).toEqual([good.root]);
  });

  it("leaves no lake behind when the first install into it fails, and touches no foreign folder", async () => {
    const bad = await copy("first");
    await flip(join(bad, "records.parquet"));
    await expect(installSlices([bad], { lake: join(dir, "new-lake") })).rejects.toThrow(SliceError);
    expect(await readdir(dir)).not.toContain("new-lake");
    const home = join(dir, "home");
    await mkdir(home);
    await writeFile(join(home, "thesis.txt"), "precious");
    await expect(installSlices([good.dir], { lake: home })).rejects.toMatchObject({ code: "lake_foreign" });
    expect(await readdir(home)).toEqual(["thesis.txt"]);
  });
});

it("engines that check slices and read Parquet spill into a folder of the system's that is gone after, not where the process works", async () => {
  const open = vi.spyOn(Database, "openKept");
  const out = await mkdtemp(join(tmpdir(), "mirrorlake-spill-"));
  try {
    const written = await writeSlices(batches(makeItems(0, 9)), { out, info: INFO });
    open.mockClear();
    for (const slice of written) await verifySlice(slice.dir);
    const path = join(written[0]!.dir, "records.parquet");
    const context = { source: "rows", file: "records.parquet", limits: INGEST_LIMITS };
    const rows: unknown[] = [];
    for await (const batch of readParquet(path, context, () => {})) rows.push(...batch.rows);
    expect(rows.length).toBeGreaterThan(0);
    const folders = open.mock.calls.map(([, options]) => options?.tempDirectory ?? ".tmp");
    expect(folders).toHaveLength(written.length + 1);
    for (const folder of folders) {
      expect(folder.startsWith(join(tmpdir(), "mirrorlake-"))).toBe(true);
      expect(existsSync(folder)).toBe(false);
    }
  } finally {
    open.mockRestore();
    await rm(out, { recursive: true, force: true });
  }
});
