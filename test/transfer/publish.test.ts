import { readdirSync } from "node:fs";
import {
  appendFile,
  chmod,
  cp,
  mkdir,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SliceIndex } from "../../src/contract/slice/slice-index.js";
import { describeDataset } from "../../src/dataset/describe-dataset.js";
import { installSlices } from "../../src/lake/install/install-slices.js";
import { verifySlice } from "../../src/slice/verify-slice.js";
import { writeSlices } from "../../src/staging/write-slices.js";
import { publishSlices } from "../../src/transfer/publish/publish-slices.js";
import { pullSlices } from "../../src/transfer/pull/pull-slices.js";
import { batches, INFO, makeItems } from "../lake/items.js";
import { rootsOf, type SmallSet, smallSet } from "./small-set.js";

let set: SmallSet;
beforeAll(async () => {
  set = await smallSet();
});
afterAll(() => set?.remove());

const indexOf = async (out: string) =>
  SliceIndex.parse(JSON.parse(await readFile(join(out, "index.json"), "utf8")));

/** Publishes a slice into a folder; its root, and the name of a file of it. */
async function publishedAlone(out: string): Promise<{ root: string; name: string }> {
  const { mirrorlake, resources } = set.manifests[0]!;
  await publishSlices([join(set.slices, mirrorlake.root)], { out });
  return { root: mirrorlake.root, name: resources[0]!.path };
}

describe("publishSlices", () => {
  test("writes an index of every slice, and each slice in a folder named after its root", async () => {
    const index = await indexOf(set.out);
    expect(index.slices.map(({ root }) => root).toSorted()).toEqual(rootsOf(set.manifests));
    expect((await readdir(set.out)).toSorted()).toEqual([...rootsOf(set.manifests), "index.json"]);
    for (const { root, bytes, counts } of index.slices) {
      const manifest = set.manifests.find(({ mirrorlake }) => mirrorlake.root === root)!;
      expect(bytes).toBe(manifest.resources.reduce((sum, resource) => sum + resource.bytes, 0));
      expect(counts).toEqual({
        records: manifest.mirrorlake.counts.records,
        raw: manifest.mirrorlake.counts.raw,
        vectors: manifest.mirrorlake.counts.vectors,
      });
      expect((await readdir(join(set.out, root))).toSorted()).toEqual(
        ["datapackage.json", ...manifest.resources.map(({ path }) => path)].toSorted(),
      );
    }
  });

  test("gives the same index whatever the order, and leaves what is there alone", async () => {
    const out = join(set.dir, "again");
    const roots = rootsOf(set.manifests);
    const dirs = roots.map((root) => join(set.slices, root));
    await publishSlices(dirs.slice(2).toReversed(), { out });
    const before = await stat(join(out, roots[3]!, "datapackage.json"));
    const report = await publishSlices(dirs, { out });
    expect(report.slices.filter(({ state }) => state === "published").map(({ root }) => root)).toEqual(
      roots.slice(0, 2),
    );
    expect(report.total.slices).toBe(roots.length);
    expect((await stat(join(out, roots[3]!, "datapackage.json"))).ino).toBe(before.ino);
    expect(await readFile(join(out, "index.json"), "utf8")).toBe(
      await readFile(join(set.out, "index.json"), "utf8"),
    );
  });

  test("works on two slices at a time, each under a name of its own until it is verified", async () => {
    const out = join(set.dir, "at-once");
    const staged: number[] = [];
    const onProgress = () =>
      staged.push(readdirSync(out).filter((name) => /^\.tmp-[0-9a-f]+$/.test(name)).length);
    const { slices } = await publishSlices([set.slices], { out, onProgress });
    expect(Math.max(...staged)).toBe(2);
    expect(slices.map(({ root }) => root).toSorted()).toEqual(rootsOf(set.manifests));
    expect(slices.every(({ state }) => state === "published")).toBe(true);
  });

  test("shares no file with its source, nor with a lake that is pulled from it; installing shares, unless told to copy", {
    tags: "slow",
  }, async () => {
    const lakes = ["own", "copied", "pulled"].map((name) => join(set.dir, `inode-${name}`));
    const [own, copied, pulled] = lakes as [string, string, string];
    const slice = rootsOf(set.manifests)[0]!;
    const only = { localSet: false, threads: 1 };
    await installSlices([join(set.slices, slice)], { lake: own, ...only });
    await installSlices([join(set.slices, slice)], { lake: copied, copy: true, ...only });
    const out = join(set.dir, "inode-public");
    await publishSlices([own], { out });
    await pullSlices(out, { lake: pulled });
    const inodes = async (folders: readonly string[]) => {
      const stats = folders.map(async (folder) => (await stat(join(folder, slice, "datapackage.json"))).ino);
      return Promise.all(stats);
    };
    const slicesOf = (lake: string) => join(lake, "slices");
    const [source, linked, ...others] = await inodes([
      set.slices,
      slicesOf(own),
      slicesOf(copied),
      out,
      slicesOf(pulled),
    ]);
    expect(linked).toBe(source);
    expect(new Set([source, ...others]).size).toBe(4);

    // Bytes that change in place, as a transfer into the folder does it.
    const { resources } = set.manifests.find(({ mirrorlake }) => mirrorlake.root === slice)!;
    const file = join(out, slice, resources[0]!.path);
    await chmod(file, 0o644);
    await writeFile(file, "x", { flag: "r+" });
    for (const lake of lakes) await verifySlice(join(slicesOf(lake), slice));
    expect((await publishSlices([own], { out })).slices).toMatchObject([{ state: "repaired" }]);
    await verifySlice(join(out, slice));
  });

  test("several that publish into one folder at once leave an index of all", async () => {
    const out = join(set.dir, "together");
    const roots = rootsOf(set.manifests);
    await Promise.all(roots.map((root) => publishSlices([join(set.slices, root)], { out })));
    expect((await indexOf(out)).slices.map(({ root }) => root).toSorted()).toEqual(roots);
    expect((await readdir(out)).filter((name) => name.startsWith("."))).toEqual([]);
  });

  test.each([
    ["none is there yet", async () => {}],
    [
      "a copy that is there is damaged",
      async (out: string) => {
        const { root, name } = await publishedAlone(out);
        await appendFile(join(out, root, name), "x");
      },
    ],
  ])("several that publish the same slices at once, where %s, all succeed", async (where, prepare) => {
    const out = join(set.dir, `same-${where.length}`);
    await prepare(out);
    const reports = await Promise.all(Array.from({ length: 3 }, () => publishSlices([set.slices], { out })));
    for (const { slices, total } of reports) {
      expect(slices.map(({ root }) => root).toSorted()).toEqual(rootsOf(set.manifests));
      expect(total.slices).toBe(set.manifests.length);
    }
    expect((await readdir(out)).toSorted()).toEqual([...rootsOf(set.manifests), "index.json"]);
    for (const root of rootsOf(set.manifests))
      expect((await verifySlice(join(out, root))).mirrorlake.root).toBe(root);
  });

  test("publishes what a lake holds", async () => {
    const lake = join(set.dir, "held");
    await installSlices([join(set.slices, rootsOf(set.manifests)[0]!)], { lake });
    const report = await publishSlices([lake], { out: join(set.dir, "of-lake") });
    expect(report.slices.map(({ root }) => root)).toEqual([rootsOf(set.manifests)[0]]);
  });

  test("refuses a slice that is damaged, and publishes nothing of it", async () => {
    const slices = join(set.dir, "damaged");
    const [written] = await writeSlices(batches(makeItems(300, 303)), { out: slices, info: INFO });
    const file = join(written!.dir, written!.manifest.resources[0]!.path);
    const bytes = await readFile(file);
    bytes[bytes.length >> 1]! ^= 1;
    await rm(file);
    await writeFile(file, bytes);
    const out = join(set.dir, "refused");
    await expect(publishSlices([written!.dir], { out })).rejects.toMatchObject({ code: "slice_corrupt" });
    expect(await readdir(out)).toEqual([]);
    await rm(file);
    await symlink("/etc/hostname", file);
    await expect(publishSlices([written!.dir], { out })).rejects.toMatchObject({ code: "slice_not_a_file" });
  });

  test("repairs a published slice that was damaged", async () => {
    const out = join(set.dir, "repaired");
    const root = rootsOf(set.manifests)[0]!;
    await mkdir(join(out, root), { recursive: true });
    await writeFile(join(out, root, "datapackage.json"), "{}");
    const report = await publishSlices([join(set.slices, root)], { out });
    expect(report.slices[0]!.state).toBe("repaired");
    const again = await publishSlices([join(set.slices, root)], { out });
    expect(again.slices[0]!.state).toBe("present");
  });

  test("repairs a published slice of which a file has other bytes", async () => {
    const out = join(set.dir, "other-bytes");
    const { root, name } = await publishedAlone(out);
    const file = join(out, root, name);
    const bytes = await readFile(file);
    bytes[bytes.length >> 1]! ^= 1;
    await rm(file);
    await writeFile(file, bytes);
    const report = await publishSlices([join(set.slices, root)], { out });
    expect(report.slices[0]!.state).toBe("repaired");
    expect(await readFile(file)).toEqual(await readFile(join(set.slices, root, name)));
  });

  test("repairs a published slice without a manifest, and one in whose folder stands another", async () => {
    const out = join(set.dir, "mixed");
    const [first, second] = rootsOf(set.manifests);
    await cp(join(set.out, first!), join(out, first!), { recursive: true });
    await rm(join(out, first!, "datapackage.json"));
    await cp(join(set.out, first!), join(out, second!), { recursive: true });
    const report = await publishSlices([set.slices], { out });
    const states = new Map(report.slices.map(({ root, state }) => [root, state]));
    expect([states.get(first!), states.get(second!)]).toEqual(["repaired", "repaired"]);
    expect((await indexOf(out)).slices).toEqual((await indexOf(set.out)).slices);
  });

  test("names the published folder in which another slice is damaged, before it places anything", async () => {
    const out = join(set.dir, "blocked");
    const { root } = await publishedAlone(out);
    const index = await readFile(join(out, "index.json"), "utf8");
    await rm(join(out, root, "datapackage.json"));
    const others = rootsOf(set.manifests).filter((each) => each !== root);
    await expect(
      publishSlices([join(set.slices, others[0]!), join(set.slices, others[1]!)], { out }),
    ).rejects.toMatchObject({
      code: "publish_damaged",
      message: expect.stringContaining(out),
      value: join(out, root),
      remedy: expect.stringMatching(/publish .* again.*delete/),
    });
    expect((await readdir(out)).toSorted()).toEqual([root, "index.json"]);
    expect(await readFile(join(out, "index.json"), "utf8")).toBe(index);
    const { total } = await publishSlices([set.slices], { out });
    expect(total.slices).toBe(set.manifests.length);
  });

  test("refuses a folder that holds something else", async () => {
    const out = join(set.dir, "foreign");
    await mkdir(out);
    await appendFile(join(out, "thesis.txt"), "mine");
    await expect(publishSlices([set.slices], { out })).rejects.toMatchObject({ code: "publish_foreign" });
    expect(await readdir(out)).toEqual(["thesis.txt"]);
  });

  test("refuses a lake's own folder of slices, as do others that write there", async () => {
    const lake = join(set.dir, "own");
    await installSlices([set.slices], { lake });
    const slices = join(lake, "slices");
    const before = await readdir(slices, { recursive: true });
    for (const work of [publishSlices, describeDataset])
      await expect(work([lake], { out: slices })).rejects.toMatchObject({ code: "out_in_lake" });
    expect(await readdir(slices, { recursive: true })).toEqual(before);
  });
});
