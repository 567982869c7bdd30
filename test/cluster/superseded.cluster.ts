import { expect, it } from "vitest";
import { freshOf } from "../../src/clickhouse/load/fresh-slices.js";
import {
  countingSlices,
  ofCountingSlices,
  rootList,
  supersededRoots,
} from "../../src/clickhouse/superseded.js";
import type { SliceFacts, SliceManifest } from "../../src/contract/slice/slice-manifest.js";

it("roots stand in SQL only as digits, whatever the table of loads says", () => {
  const root = "0123456789abcdef".repeat(4);
  expect(rootList([root, root])).toBe(`'${root}', '${root}'`);
  expect(rootList([])).toBe("''");
  for (const bad of ["') OR 1 = 1 --", root.toUpperCase(), `${root}'`, ""])
    expect(() => rootList([root, bad])).toThrow(
      expect.objectContaining({ code: "cluster_damaged", value: bad }),
    );
});

/** A slice as far as it says what it supersedes; its root is a digit many times over. */
function sliceOf(digit: number, more: Partial<SliceFacts> = {}): SliceManifest {
  return {
    mirrorlake: { root: rootOf(digit), supersedes: [], ...more },
  } as Partial<SliceManifest> as SliceManifest;
}
const rootOf = (digit: number) => String(digit).repeat(64);
const WHOLE = sliceOf(1);
const OTHER = sliceOf(2);
const CUT = sliceOf(3, {
  supersedes: [rootOf(1)],
  cutFrom: { root: rootOf(1), byAge: true, byAgeFrom: [rootOf(1)] },
});
/** Cut by age and of what was removed: it has something to say that the whole slice has not. */
const LESS = sliceOf(4, { supersedes: [rootOf(1)], cutFrom: { root: rootOf(1), byAge: true } });
const REVISION = sliceOf(5, { supersedes: [rootOf(1)] });

const loadsOf = (...slices: readonly (readonly SliceManifest[])[]) =>
  slices.map((each, n) => ({ id: n + 1, slices: each, records: 1, raw: 1 }) as never);
const digits = (roots: Iterable<string>) => [...roots].map((root) => Number(root[0])).sort();

it.each([
  [[[CUT], [WHOLE]], [1], [3]],
  [[[WHOLE, OTHER], [LESS]], [2, 4], [1]],
  [[[WHOLE, OTHER], [LESS], [WHOLE]], [1, 2], [4]],
  [[[WHOLE], [LESS], [WHOLE], [LESS]], [4], [1]],
  [[[LESS], [WHOLE], [REVISION]], [5], [1, 4]],
  [[[CUT], [REVISION]], [5], [3]],
] as const)("of what was cut by age the last one counts, order %#", (slices, counting, superseded) => {
  const loads = loadsOf(...slices);
  expect(digits(countingSlices(loads).map(({ mirrorlake }) => mirrorlake.root))).toEqual(counting);
  expect(digits(supersededRoots(loads))).toEqual(superseded);
});

it("the rows of a slice that came again count once", () => {
  const loads = loadsOf([WHOLE, OTHER], [LESS], [WHOLE]);
  expect(ofCountingSlices(loads)).toBe(`load IN (1, 3) AND NOT (load = 1 AND root IN ('${rootOf(1)}'))`);
});

it.each([
  [[[CUT]], [WHOLE], [1]],
  [[[CUT]], [WHOLE, CUT], []],
  [[[WHOLE]], [CUT], []],
  [[[WHOLE]], [LESS], [4]],
  [[[WHOLE], [LESS]], [WHOLE], [1]],
  [[[LESS], [WHOLE]], [LESS], [4]],
  [[[CUT], [WHOLE]], [CUT], []],
  [[[LESS], [WHOLE], [REVISION]], [LESS, WHOLE], []],
] as const)("an install takes what is not there and not superseded, case %#", (held, offered, fresh) => {
  const found = offered.map((manifest) => ({ dir: "", manifest }));
  const roots = freshOf(found, loadsOf(...held)).map(({ manifest }) => manifest.mirrorlake.root);
  expect(digits(roots)).toEqual(fresh);
});
