import fc from "fast-check";
import { expect, test } from "vitest";
import { sameItem } from "../../src/lake/verify/same-item.js";
import { runs } from "../support/campaign.js";

test("a zero is a zero, whatever its sign, at any depth", () => {
  expect(sameItem({ price: { drop_7d: -0 }, list: [0] }, { price: { drop_7d: 0 }, list: [-0] })).toBe(true);
  expect(sameItem({ a: -0 }, { a: 1 })).toBe(false);
  expect(sameItem(undefined, { a: 0 })).toBe(false);
  expect(sameItem({ a: "0" }, { a: -0 })).toBe(false);
});

test("items are the same exactly if their JSON is, in any order of members", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
      expect(sameItem(one, structuredClone(one))).toBe(true);
      if (JSON.stringify(one) === JSON.stringify(other)) expect(sameItem(one, other)).toBe(true);
      expect(sameItem({ one, other }, { other, one })).toBe(true);
    }),
    runs(200),
  );
});
