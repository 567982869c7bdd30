import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EventLoopQueue } from "../../src/search/event-loop-queue.js";
import type { ExactScores } from "../../src/search/vector/exact-scores.js";
import { type RunRule, scoreRuns } from "../../src/search/vector/score-runs.js";

const QUERY = new Float32Array(0);
const queue = new EventLoopQueue();

/** Scores that are given by row, and the runs of rows that were asked for. */
function scoresOf(values: readonly number[]): ExactScores & { readonly asked: number[][] } {
  const asked: number[][] = [];
  return {
    asked,
    run: 1024,
    readAhead: async () => undefined,
    score: (_query, rows, offer) => {
      asked.push([...rows]);
      for (const row of rows) offer(row, values[row]!);
    },
  };
}

const ordered = (values: readonly number[], rows: readonly number[]) =>
  rows.toSorted((a, b) => values[b]! - values[a]! || a - b);

describe("candidates that are scored run by run", () => {
  it("end after runs that bring none among the hundred nearest, and are ranked among what was scored", async () => {
    const value = fc.integer({ min: 0, max: 2_000 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(value, { minLength: 1, maxLength: 900 }),
        fc.integer({ min: 1, max: 300 }),
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 400 }),
        async (values, run, patience, limit) => {
          const candidates = Uint32Array.from(values, (_, i) => values.length - 1 - i);
          const scoreAll = (rule: RunRule) =>
            scoreRuns(scoresOf(values), QUERY, candidates, limit, rule, { queue });
          const { found, scored, ends } = await scoreAll({ run, patience });
          let [expected, dry] = [[] as number[], 0];
          while (dry < patience && expected.length < candidates.length) {
            const nearest = ordered(values, expected).slice(0, 100);
            const floor = nearest.length < 100 ? Number.NEGATIVE_INFINITY : values[nearest[99]!]!;
            const next = [...candidates.subarray(expected.length, expected.length + run)];
            dry = next.some((row) => values[row]! > floor) ? 0 : dry + 1;
            expected = [...expected, ...next];
          }
          expect([...scored]).toEqual(expected);
          expect(found.rows).toEqual(ordered(values, expected).slice(0, limit));
          expect(found.scores).toEqual(found.rows.map((row) => values[row]!));
          // Less patience ends where it says.
          for (let less = 1; less < patience; less += 1) {
            const sooner = await scoreAll({ run, patience: less });
            expect(sooner.scored.length).toBe(ends[less - 1] ?? scored.length);
          }
        },
      ),
    );
  });

  it("are read in the order of rows within a run, which takes fewer reads", async () => {
    const scores = scoresOf([3, 1, 2, 5, 4]);
    await scoreRuns(scores, QUERY, Uint32Array.of(4, 0, 3, 2, 1), 5, { run: 3, patience: 1 }, { queue });
    expect(scores.asked).toEqual([
      [0, 3, 4],
      [1, 2],
    ]);
  });

  it("end with the reason of a signal", async () => {
    const signal = AbortSignal.abort(new Error("enough"));
    const runs = scoreRuns(
      scoresOf([1]),
      QUERY,
      Uint32Array.of(0),
      1,
      { run: 1, patience: 1 },
      { queue, signal },
    );
    await expect(runs).rejects.toThrow("enough");
  });
});
