import { join } from "node:path";
import { installSlices, Lake, openLake, planPull, pullSlices, sliceFiles, startServer } from "mirrorlake";
import { afterAll, beforeAll, expect, test } from "vitest";
import { capture } from "../cli/capture.js";
import { answersOf } from "../lake/same-answers.js";
import { testEnvironment } from "./fake-set.js";
import { FaultServer } from "./fault-server.js";
import { rootsOf, type SmallSet, smallSet } from "./small-set.js";

let set: SmallSet;
let direct: string;
beforeAll(async () => {
  set = await smallSet(0, 200);
  direct = join(set.dir, "direct");
  await installSlices([set.slices], { lake: direct });
});
afterAll(() => set?.remove());

const QUERIES = ["手机 camera", "news rain", "zapatos", "rumah murah"];

async function answers(path: string): Promise<string> {
  const lake = await Lake.open(path);
  try {
    return await answersOf(lake, QUERIES);
  } finally {
    await lake.close();
  }
}

test("published, pulled from a folder and installed, slices have the same roots and give the same answers", {
  tags: "slow",
}, async () => {
  const lake = join(set.dir, "pulled");
  const plan = await planPull(set.out, { lake });
  expect(plan.slices.every(({ state }) => state === "wanted")).toBe(true);
  const report = await pullSlices(set.out, { lake });
  expect(report.install!.slices.map(({ root }) => root).toSorted()).toEqual(rootsOf(set.manifests));
  expect(await answers(lake)).toBe(await answers(direct));
  const again = await pullSlices(set.out, { lake });
  expect([again.install, again.bytesFetched]).toEqual([undefined, 0]);
});

test("over HTTP from a file host that breaks off and lies, too", { tags: "slow" }, async () => {
  const host = await FaultServer.start(set.out);
  try {
    host.plan("records.parquet", [
      { kind: "drop", after: 20_000 },
      { kind: "corrupt", at: 500 },
      { kind: "truncate", after: 9_000 },
      { kind: "status", status: 503, retryAfter: "2" },
      { kind: "reset", after: 12_000 },
      { kind: "other-version" },
    ]);
    host.plan("raw.parquet", [
      { kind: "length", by: 100 },
      { kind: "stall", after: 1000 },
      { kind: "whole" },
    ]);
    host.plan("index.json", [{ kind: "refuse" }, { kind: "truncate", after: 100 }]);
    const lake = join(set.dir, "from-host");
    const phases = new Set<string>();
    let last = 0;
    await pullSlices(host.url, {
      lake,
      environment: testEnvironment(),
      stallMs: 1500,
      onProgress: (progress) => {
        phases.add(progress.phase);
        if (progress.phase === "download") last = progress.done / progress.total;
      },
    });
    expect([...phases]).toEqual(["download", "install"]);
    expect(last).toBe(1);
    expect(await answers(lake)).toBe(await answers(direct));
  } finally {
    await host.close();
  }
});

test("over HTTP from a server of the lake, with a key of the scope datasets and no other", {
  tags: "slow",
}, async () => {
  const open = await openLake(direct);
  const server = await startServer(open.service, { files: sliceFiles(open) });
  try {
    const lake = join(set.dir, "from-server");
    await expect(pullSlices(server.url, { lake })).rejects.toMatchObject({ code: "pull_unauthorized" });
    const search = open.account.sessionKey(["search"]);
    await expect(pullSlices(server.url, { lake, key: search })).rejects.toMatchObject({
      code: "pull_forbidden",
    });
    const report = await pullSlices(server.url, { lake, key: open.account.sessionKey(["datasets"]) });
    expect(report.bytesFetched).toBe(report.bytes);
    expect(report.install!.slices.map(({ root }) => root).toSorted()).toEqual(rootsOf(set.manifests));
    expect(await answers(lake)).toBe(await answers(direct));
  } finally {
    await server.close(0);
    await open.close();
  }
});

test("on the command line: publish, then pull", { tags: "slow" }, async () => {
  const out = join(set.dir, "cli-public");
  const published = await capture(["publish", set.slices, "--out", out]);
  expect([published.code, published.out]).toEqual([
    0,
    expect.stringContaining(`${set.manifests.length} slices published`),
  ]);
  const lake = join(set.dir, "cli-lake");
  const pulled = await capture(["pull", out, "--lake", lake, "--no-lock"]);
  expect([pulled.code, pulled.out]).toEqual([0, expect.stringContaining("generation 1 of")]);
  const again = await capture(["pull", out, "--lake", lake, "--no-lock"]);
  expect(again.out).toContain("nothing to pull");
  expect(await answers(lake)).toBe(await answers(direct));
});
