import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FeatureTable } from "../../src/search/embed/feature-table.js";

describe("a table of features", () => {
  it("holds what a map holds, also of features that make it grow", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 1, max: 2 ** 32 - 1 }), fc.nat(1000)), {
          maxLength: 200,
          size: "max",
        }),
        (entries) => {
          const table = new FeatureTable(1);
          const map = new Map<number, number>();
          for (const [feature, value] of entries) {
            table.set(feature, value);
            map.set(feature, value);
          }
          for (const [feature, value] of map) expect(table.get(feature)).toBe(value);
          expect(table.size).toBe(map.size);
        },
      ),
    );
  });

  it("numbers features in the order of first sight", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 2 ** 32 - 1 }), { maxLength: 200, size: "max" }),
        (features) => {
          const table = new FeatureTable(1);
          const order = [...new Set(features)];
          for (const feature of features) expect(table.numberOf(feature)).toBe(order.indexOf(feature));
          expect(table.size).toBe(order.length);
        },
      ),
    );
  });
});
