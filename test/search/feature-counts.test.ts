import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { classOf, FEATURE_CLASS } from "../../src/search/embed/features.js";
import { FeatureCounts } from "../../src/search/fit/feature-counts.js";
import { runs } from "../support/campaign.js";

/** Features far apart, so that none shares a cell of the filter with another. */
const feature = fc
  .tuple(fc.nat(60), fc.constantFrom(...Object.values(FEATURE_CLASS)))
  .map(([n, kind]) => n * 1024 + 4 + kind);
const chunk = fc
  .uniqueArray(fc.tuple(feature, fc.integer({ min: 1, max: 4 })), {
    selector: ([name]) => name,
    maxLength: 40,
  })
  .map((entries) => entries.sort((a, b) => a[0] - b[0]))
  .map((entries) => ({
    features: Uint32Array.from(entries, ([name]) => name),
    found: Uint32Array.from(entries, ([, found]) => found),
    log: new Uint32Array(0),
  }));

describe("the features that get a vector", () => {
  it("are those of most documents, by class, in any number of chunks", () => {
    fc.assert(
      fc.property(fc.array(chunk, { maxLength: 12 }), fc.integer({ min: 0, max: 200 }), (chunks, limit) => {
        const counts = new FeatureCounts();
        const documents = new Map<number, number>();
        for (const chunk of chunks) {
          counts.add(chunk);
          chunk.features.forEach((name, i) => {
            documents.set(name, (documents.get(name) ?? 0) + chunk.found[i]!);
          });
        }
        const weight = (name: number) =>
          documents.get(name)! * (classOf(name) === FEATURE_CLASS.neighbours ? 0.25 : 1);
        const expected = [...documents.keys()]
          .filter((name) => classOf(name) !== FEATURE_CLASS.neighbours || documents.get(name)! > 1)
          .sort((a, b) => weight(b) - weight(a) || a - b)
          .slice(0, limit)
          .sort((a, b) => a - b);
        expect([...counts.select(limit)]).toEqual(expected);
      }),
      runs(50),
    );
  });
});
