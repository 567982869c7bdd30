import { afterAll, beforeAll, expect, test } from "vitest";
import { indexBytes } from "../../src/lake/install/index-bytes.js";
import { lakeSlices } from "../../src/lake/lake-slices.js";
import { currentBytes } from "../../src/lake/maintain/remove-unused.js";
import { type TemporaryLake, temporarySampleLake } from "../support/sample-lake.js";

let lake: TemporaryLake;
beforeAll(async () => {
  lake = await temporarySampleLake();
});
afterAll(() => lake?.remove());

test("indexes are estimated by about what they take, so that no disk is called full that is not", async () => {
  const slices = await lakeSlices(lake.path);
  const takes = (await currentBytes(lake.path))!;
  const estimated = indexBytes(slices, []);
  expect(estimated).toBeGreaterThan(takes);
  expect(estimated).toBeLessThan(4 * takes);
  expect(indexBytes([], [])).toBe(0);
});

test("of a lake of the real collections: 242 MB, and 412 MB while it is built", () => {
  const estimated = indexBytes([], [{ records: 53_976, raw: 291_633, vectors: 659 }]);
  expect(estimated).toBeGreaterThan(412e6);
  expect(estimated).toBeLessThan(600e6);
});
