import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SEARCH_DEFAULTS } from "../../src/search/defaults.js";
import { IndexVectors } from "../../src/search/embed/index-vector.js";
import { meansOfTopics, sumTopicsOf } from "../../src/search/fit/topic-sums.js";
import { chooseTopics, topicOf } from "../../src/search/fit/topics.js";
import type { WeightedDocument } from "../../src/search/fit/weighted-log.js";
import { runs } from "../support/campaign.js";

const { dimensions, languagePrior } = SEARCH_DEFAULTS;
const { perTopic, most, sketch, prior } = SEARCH_DEFAULTS.embed.topics;

/** Documents of one feature each: those of a group have features of their own. */
const GROUPS = 4;
const FEATURES = Uint32Array.from({ length: GROUPS * 3 }, (_, i) => (i + 1) * 4_096);

/** The document `number` of a group: all of its features, of which one weighs more. */
function documentOf(group: number, number: number): WeightedDocument {
  return {
    rows: Uint32Array.of(group * 3, group * 3 + 1, group * 3 + 2),
    weights: Float32Array.from({ length: 3 }, (_, i) => (number % 3 === i ? 2 : 1)),
  };
}

async function measured(documents: readonly WeightedDocument[], languages: readonly number[]) {
  const index = await IndexVectors.create(FEATURES.length);
  index.list(FEATURES);
  const inverseLengths = new Float64Array(documents.length);
  const sketches: number[] = [];
  const vectors = documents.map(({ rows, weights }, i) => {
    index.sum(rows, weights);
    inverseLengths[i] = 1 / index.measure().length;
    const vector = index.vector.map((value) => value * inverseLengths[i]!);
    sketches.push(...vector.subarray(0, sketch));
    return vector;
  });
  const numbers = Uint16Array.from(languages);
  const sample = { languages: numbers, sketches: Float32Array.from(sketches) };
  return { inverseLengths, languages: numbers, sample, vectors };
}

describe("the topics of a corpus", () => {
  it("are those of each language, more of a larger one, and one of a small one", () => {
    const counts = Uint32Array.of(perTopic * 3, 5, 0, perTopic * 2 - 1);
    const sample = { languages: new Uint16Array(0), sketches: new Float32Array(0) };
    expect([...chooseTopics(sample, counts).starts]).toEqual([0, 3, 4, 5, 6]);
    const { starts } = chooseTopics(sample, Uint32Array.of(10_000_000, 3));
    expect([...starts]).toEqual([0, most - 1, most]);
  });

  it.each([
    ["in turn, equal ones", (i: number) => documentOf(i % GROUPS, 0), (i: number) => i % GROUPS],
    [
      "one group after another",
      (i: number) => documentOf(Math.floor(i / 100), i),
      (i: number) => Math.floor(i / 100),
    ],
  ])("hold what is alike: %s", async (_, of, groupOf) => {
    const documents = Array.from({ length: 400 }, (_, i) => of(i));
    const { sample, inverseLengths, languages } = await measured(
      documents,
      documents.map(() => 0),
    );
    const topics = chooseTopics(sample, Uint32Array.of(perTopic * GROUPS));
    const input = { documents: () => documents, measured: { inverseLengths, languages } };
    const [found] = (await sumTopicsOf([input], FEATURES, topics)).topics;
    const numbers = Array.from(
      { length: GROUPS },
      (_, group) => found![documents.findIndex((_, i) => groupOf(i) === group)]!,
    );
    expect(new Set(numbers).size).toBe(GROUPS);
    expect([...found!]).toEqual(documents.map((_, i) => numbers[groupOf(i)]));
  });

  it("have means of their documents, smoothed by those of their language, however they are shared out", async () => {
    const documents = Array.from({ length: 90 }, (_, i) => documentOf(i % GROUPS, i));
    const languageOf = documents.map((_, i) => (i % GROUPS === 3 ? 1 : 0));
    const { sample, vectors, ...lengths } = await measured(documents, languageOf);
    const topics = chooseTopics(sample, Uint32Array.of(perTopic * 3, 1));
    const sumOf = (from: number, to: number) =>
      sumTopicsOf(
        [
          {
            documents: () => documents.slice(from, to),
            measured: {
              inverseLengths: lengths.inverseLengths.slice(from, to),
              languages: lengths.languages.slice(from, to),
            },
          },
        ],
        FEATURES,
        topics,
      );
    const whole = await sumOf(0, 90);
    const means = meansOfTopics(topics, [whole]);
    const meanOf = (chosen: readonly number[], other: number[] | undefined, count: number) =>
      Array.from({ length: dimensions }, (_, k) => {
        const sum = chosen.reduce((all, i) => all + vectors[i]![k]!, 0);
        return (sum + count * (other?.[k] ?? 0)) / (chosen.length + count);
      });
    const numbers = [...documents.keys()];
    const all = meanOf(numbers, undefined, 0);
    for (const i of [0, 1, 2, 3]) {
      const own = numbers.filter((n) => languageOf[n] === languageOf[i]);
      const topic = whole.topics[0]![i]!;
      const alike = own.filter((n) => whole.topics[0]![n] === topic);
      const expected = meanOf(alike, meanOf(own, all, languagePrior), prior);
      expected.forEach((value, k) => {
        expect(means[topic * dimensions + k]).toBeCloseTo(value, 6);
      });
    }
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(90), { maxLength: 5 }), async (cuts) => {
        const places = [0, ...cuts, 90].sort((a, b) => a - b);
        const parts = await Promise.all(places.slice(1).map((end, i) => sumOf(places[i]!, end)));
        expect(meansOfTopics(topics, parts.reverse())).toEqual(means);
      }),
      runs(10),
    );
  });

  it("are the first of a language that has no other", () => {
    const topics = chooseTopics(
      { languages: new Uint16Array(0), sketches: new Float32Array(0) },
      Uint32Array.of(3, 4),
    );
    expect(topicOf(topics, 1, new Float32Array(dimensions), 1)).toBe(1);
  });
});
