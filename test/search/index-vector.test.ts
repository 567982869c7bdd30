import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { IndexVectors } from "../../src/search/embed/index-vector.js";
import { runs } from "../support/campaign.js";

const FEATURES = Uint32Array.from({ length: 300 }, (_, i) => Math.imul(i + 1, 0x9e37_79b1) >>> 0);

describe("index vectors", () => {
  it("have eight entries of ±1, some of which may meet", async () => {
    const index = await IndexVectors.create(FEATURES.length);
    index.list(FEATURES);
    for (let feature = 0; feature < FEATURES.length; feature += 1) {
      index.sum(Uint32Array.of(feature), Float32Array.of(1));
      const magnitude = index.vector.reduce((sum, value) => sum + Math.abs(value), 0);
      expect(8 - magnitude).toBeGreaterThanOrEqual(0);
      expect((8 - magnitude) % 2).toBe(0);
    }
  });

  it("add up by weight, also more of them than one call takes", async () => {
    const index = await IndexVectors.create(FEATURES.length);
    index.list(FEATURES);
    const single = Array.from(FEATURES, (_, feature) => {
      index.sum(Uint32Array.of(feature), Float32Array.of(1));
      return index.vector.slice();
    });
    const entries = fc.array(fc.tuple(fc.nat(FEATURES.length - 1), fc.integer({ min: 0, max: 100 })), {
      maxLength: 2500,
      size: "max",
    });
    fc.assert(
      fc.property(entries, (list) => {
        // Whole numbers are summed without rounding.
        const exact = new Float64Array(1536);
        for (const [feature, weight] of list)
          single[feature]!.forEach((value, k) => {
            exact[k]! += value * weight;
          });
        index.sum(
          Uint32Array.from(list, ([feature]) => feature),
          Float32Array.from(list, ([, weight]) => weight),
        );
        expect(Array.from(index.vector)).toEqual(Array.from(exact, (value) => value + 0));
        const square = exact.reduce((sum, value) => sum + value * value, 0);
        const { length, largest } = index.measure();
        expect(length / Math.max(1, Math.sqrt(square))).toBeCloseTo(square === 0 ? 0 : 1, 5);
        expect(largest).toBe(Math.max(...exact.map(Math.abs)));
      }),
      runs(30),
    );
  });

  it("blend with another vector", async () => {
    const index = await IndexVectors.create(1);
    index.list(FEATURES.subarray(0, 1));
    index.sum(Uint32Array.of(0), Float32Array.of(2));
    const before = index.vector.slice();
    index.other.fill(3);
    index.blend(0.5);
    expect(index.vector).toEqual(before.map((value) => value * 0.5 + 3));
  });
});
