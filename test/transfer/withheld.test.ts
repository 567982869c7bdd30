import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { installSlices } from "../../src/lake/install/install-slices.js";
import { removeRecords } from "../../src/lake/removals/remove-records.js";
import { publishSlices } from "../../src/transfer/publish/publish-slices.js";
import { planPull } from "../../src/transfer/pull/plan-pull.js";
import { pullSlices } from "../../src/transfer/pull/pull-slices.js";
import { QUICK, recordId, videos, write } from "../evolution/support.js";
import { zipOf } from "../ingest/zip-writer.js";

let dir: string;
let lake: string;
let removedFrom: string;
let whole: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-withheld-"));
  lake = join(dir, "lake");
  await installSlices(await write(join(dir, "a"), videos(0, 6)), { lake, ...QUICK });
  [removedFrom] = (await readdir(join(lake, "slices"))) as [string];
  await installSlices(await write(join(dir, "b"), videos(6, 9, 40)), { lake, ...QUICK });
  whole = (await readdir(join(lake, "slices"))).find((root) => root !== removedFrom)!;
  await removeRecords([{ kind: "record", id: recordId(3) }], { lake, reason: "test" });
  await symlink(join(lake, "slices"), join(dir, "link"));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

describe("a lake from which something was removed", () => {
  test.each([
    ["its folder", () => lake],
    ["its folder of slices", () => join(lake, "slices")],
    ["a link to its folder of slices", () => join(dir, "link")],
    ["the slice", () => join(lake, "slices", removedFrom)],
  ])("gives nothing of it away by %s", async (name, source) => {
    const refused = { code: "slices_withheld", value: [removedFrom] };
    const other = join(dir, `other-${name}`);
    await expect(installSlices([source()], { lake: other, ...QUICK })).rejects.toMatchObject(refused);
    await expect(pullSlices(source(), { lake: other })).rejects.toMatchObject(refused);
    await expect(publishSlices([source()], { out: other })).rejects.toMatchObject(refused);
    expect(await readdir(dir)).not.toContain(`other-${name}`);
  });

  test("gives away a slice of which nothing was removed", async () => {
    const { slices } = await publishSlices([join(lake, "slices", whole)], { out: join(dir, "public") });
    expect(slices.map(({ root }) => root)).toEqual([whole]);
  });

  test("does not give away a slice that it no longer lists", async () => {
    const old = join(lake, "slices", "f".repeat(64));
    await mkdir(old);
    await expect(planPull(old, { lake: join(dir, "never") })).rejects.toMatchObject({
      code: "slices_withheld",
      remedy: expect.stringContaining("mirrorlake slices"),
    });
    await rm(old, { recursive: true });
  });

  test("is built again from its own slices", async () => {
    const { slices } = await installSlices([join(lake, "slices")], { lake, ...QUICK });
    expect(slices).toHaveLength(2);
  });

  test.each(["", "some/where/"])("is refused as an archive, in %j", async (prefix) => {
    const archive = join(dir, `lake-${prefix.length}.zip`);
    const names = (await readdir(lake, { recursive: true, withFileTypes: true })).filter((entry) =>
      entry.isFile(),
    );
    const members = await Promise.all(
      names.map(async (entry) => {
        const path = join(entry.parentPath, entry.name);
        return { name: `${prefix}${relative(lake, path)}`, data: await readFile(path) };
      }),
    );
    await writeFile(archive, zipOf(members));
    await expect(pullSlices(archive, { lake: join(dir, "new") })).rejects.toMatchObject({
      code: "source_is_lake",
      value: archive,
      remedy: expect.stringContaining("mirrorlake publish"),
    });
    expect(await readdir(dir)).not.toContain("new");
  });
});

test("the slices of a lake that lost its generations are slices like any others", async () => {
  const lost = join(dir, "lost");
  await installSlices(await write(join(dir, "c"), videos(9, 12)), { lake: lost, ...QUICK });
  await rm(join(lost, "CURRENT"));
  await rm(join(lost, "generations"), { recursive: true });
  const { slices } = await publishSlices([join(lost, "slices")], { out: join(dir, "rescued") });
  expect(slices).toHaveLength(1);
});
