import { mkdir, mkdtemp, readdir, rename, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openAccount } from "../../src/account/open-account.js";
import { installSlices } from "../../src/lake/install/install-slices.js";
import { Lake } from "../../src/lake/lake.js";
import { compactLake } from "../../src/lake/maintain/compact-lake.js";
import { exportRecords } from "../../src/lake/query/export-records.js";

import { sqlRows } from "../../src/lake/query/lake-sql.js";
import { removeRecords } from "../../src/lake/removals/remove-records.js";
import { verifyLake } from "../../src/lake/verify/verify-lake.js";
import { diffSlices } from "../../src/transfer/diff-slices.js";
import { COMPACT, EMBEDDER, QUICK, recordId, videos, write } from "../evolution/support.js";

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-odd-"));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

// What a glob, a URL, a partition, a quoted name or a shell would take for more than a character.
const ODD = [
  "a*b[c]{d}#e%20f",
  "lang=en",
  "~",
  "é 中 😀;--",
  ...(process.platform === "win32" ? [] : ['it\'s "so"', "**", "a\\b"]),
];

it("a lake works in folders of any name", { tags: "slow" }, async () => {
  const at = join(dir, ...ODD);
  await mkdir(at, { recursive: true });
  const lake = join(at, "lake");
  await installSlices(await write(join(at, "first"), videos(0, 6)), { lake, ...QUICK });
  const second = await write(join(at, "second"), videos(4, 8, 20, 1));
  await installSlices(second, { lake, ...QUICK });
  const open = await Lake.open(lake, { threads: 1, embedder: EMBEDDER });
  expect(open.corpus.recordCount).toBe(8);
  expect(await sqlRows(open, "SELECT count(*) AS n FROM records", [], {})).toEqual([{ n: 8 }]);
  const out = join(at, "all.parquet");
  expect(await exportRecords(open, { out, format: "parquet" })).toMatchObject({ records: 8 });
  await open.close();
  await removeRecords([{ kind: "record", id: recordId(5) }], { lake, reason: "test" });
  await compactLake({ lake, ...COMPACT });
  expect(await verifyLake(lake, { recall: false })).toMatchObject({ ok: true, records: 8 });
  let added = 0;
  for await (const batch of diffSlices(join(at, "second"), lake))
    added += batch.filter(({ kind, change }) => kind === "record" && change === "added").length;
  expect(added).toBe(4);
});

it.skipIf(process.platform === "win32")("a path that is too long for a lock is said to be", async () => {
  const lake = join(dir, "a".repeat(250), "b".repeat(250));
  const slices = await write(join(dir, "few"), videos(0, 1));
  await expect(installSlices(slices, { lake, ...QUICK })).rejects.toMatchObject({
    code: "lock_unreadable",
    message: expect.stringMatching(/: its path has \d{3} bytes$/),
    remedy: expect.stringContaining("shorter"),
  });
  // A lake may have been moved there.
  const moved = join(dir, "c".repeat(250), "d".repeat(250));
  await mkdir(moved, { recursive: true });
  const account = await openAccount(moved);
  await expect(account.topUp("1")).rejects.toMatchObject({
    code: "account_not_writable",
    message: expect.stringMatching(/: its path has \d{3} bytes$/),
    remedy: expect.stringContaining("shorter"),
  });
  await account.close();
});

it.each(["its folder of slices", "itself", "one of its slices"])(
  "a lake that is given %s by another path keeps slices that are in its folder alone",
  async (given) => {
    const at = await mkdtemp(join(dir, "linked-"));
    const [lake, link] = [join(at, "lake"), join(at, "link")];
    await installSlices(await write(join(at, "first"), videos(0, 6, 3)), { lake, ...QUICK });
    await symlink(lake, link);
    const [second] = await write(join(at, "second"), videos(6, 8, 40));
    const root = basename(second!);
    await rename(second!, join(lake, "slices", root));
    const named = { "its folder of slices": ["slices"], itself: [], "one of its slices": ["slices", root] };
    const { slices } = await installSlices([join(link, ...named[given as keyof typeof named])], {
      lake,
      ...QUICK,
    });
    expect(slices).toContainEqual(expect.objectContaining({ root, state: "installed" }));
    expect(await verifyLake(lake, { recall: false, threads: 0 })).toMatchObject({ ok: true, records: 8 });
  },
);

it.skipIf(process.platform === "win32")(
  "a question mark in a path is refused where the engine could not write",
  async () => {
    const at = join(dir, "what now?");
    await expect(write(join(at, "slices"), videos(0, 1))).rejects.toMatchObject({
      name: "DatabaseError",
      code: "database_path_unsupported",
    });
    const slices = await write(join(dir, "slices"), videos(0, 1));
    const install = installSlices(slices, { lake: join(at, "lake"), ...QUICK });
    await expect(install).rejects.toMatchObject({ code: "database_path_unsupported" });
    expect(await readdir(at)).toEqual([]);
    const lake = join(at, "lake");
    await installSlices(slices, { lake: join(dir, "lake"), ...QUICK });
    await rename(join(dir, "lake"), lake);
    const open = await Lake.open(lake, { threads: 1, embedder: EMBEDDER });
    expect(await sqlRows(open, "SELECT count(*) AS n FROM records", [], {})).toEqual([{ n: 1 }]);
    await open.close();
  },
);
