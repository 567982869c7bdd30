import { describe, expect, it } from "vitest";
import { SEARCH_DEFAULTS } from "../../src/search/defaults.js";
import { Vocabulary } from "../../src/search/embed/vocabulary.js";
import { placesByUse } from "../../src/search/fit/model-places.js";

describe("the places of a model's vectors", () => {
  it("are by the documents of their features, also in the largest vocabulary", () => {
    const size = SEARCH_DEFAULTS.embed.vocabulary;
    const documents = Uint32Array.from({ length: size }, (_, row) => (row * 7) % 1_000);
    const vectors = Uint32Array.from({ length: size }, (_, row) => row);
    const { features } = placesByUse(new Vocabulary(vectors, documents, undefined, undefined, vectors));
    const byPlace = new Uint32Array(size);
    features.forEach((place, row) => {
      byPlace[place] = row;
    });
    expect(new Set(features).size).toBe(size);
    const outOfOrder = byPlace.findIndex((row, place) => {
      const before = byPlace[place - 1];
      if (before === undefined) return false;
      return documents[before]! < documents[row]! || (documents[before] === documents[row] && before > row);
    });
    expect(outOfOrder).toBe(-1);
  });
});
