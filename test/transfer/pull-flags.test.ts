import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { capture } from "../cli/capture.js";
import { type SmallSet, smallSet } from "./small-set.js";
import { lamps, VersionedHub } from "./versioned-hub.js";

let dir: string;
let set: SmallSet;
let hub: VersionedHub;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-pull-flags-"));
  set = await smallSet(0, 10);
  hub = await VersionedHub.start();
  hub.commit({ "lamps.csv": lamps([1, "Reading lamp"]) });
});
afterAll(async () => {
  await hub?.stop();
  await set?.remove();
  await rm(dir, { recursive: true, force: true });
});

const refused = async (source: string, flag: readonly string[]) => {
  const args = ["pull", source, ...flag, "--no-lock", "--lake", join(dir, "lake"), "--json"];
  const { code, out } = await capture(args, { cwd: dir });
  expect(await readdir(dir)).toEqual([]);
  return { code, error: JSON.parse(out).error as { code: string; message: string } };
};

test.each([
  [["--captured-at", "2026-05-01T00:00:00Z"]],
  [["--out", "copy"]],
  [["--skip-bad-files"]],
  [["--replace"]],
  [["--keep-older"]],
  [["--adapter", "beir"]],
])("an option of datasets is refused for slices, where it would do nothing: %o", async (flag) => {
  expect(await refused(set.out, flag)).toMatchObject({
    code: 2,
    error: { code: "invalid_source", message: `${flag[0]} is for a dataset, and ${set.out} is none` },
  });
});

test.each([
  [["--domain", "social"]],
  [["--platform", "forum"]],
  [["--from", "2026-05-01"]],
  [["--to", "2026-05-01"]],
])("an option that chooses slices is refused for a dataset, which would come whole: %o", async (flag) => {
  expect(await refused(hub.address(), flag)).toMatchObject({
    code: 2,
    error: {
      code: "invalid_source",
      message: `${flag[0]} chooses slices, and ${hub.address()} is a dataset of plain files`,
    },
  });
});
