import { join } from "node:path";
import { installSlices, Lake, planPull, pullSlices } from "mirrorlake";
import { afterAll, beforeAll, expect, test } from "vitest";
import { answersOf } from "../lake/same-answers.js";
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

test("published, pulled from a folder and installed, slices have the same roots and give the same answers", async () => {
  const lake = join(set.dir, "pulled");
  const plan = await planPull(set.out, { lake });
  expect(plan.slices.every(({ state }) => state === "wanted")).toBe(true);
  const report = await pullSlices(set.out, { lake });
  expect(report.install!.slices.map(({ root }) => root).toSorted()).toEqual(rootsOf(set.manifests));
  expect(await answers(lake)).toBe(await answers(direct));
  const again = await pullSlices(set.out, { lake });
  expect([again.install, again.bytesFetched]).toEqual([undefined, 0]);
});
