import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EventLoopQueue } from "../../src/search/event-loop-queue.js";
import type { ExactScores } from "../../src/search/vector/scores/exact-scores.js";
import { ScoreExchange } from "../../src/search/vector/scores/score-exchange.js";
import { type RunRule, scoreRuns } from "../../src/search/vector/scores/score-runs.js";

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
          while ((dry < patience || expected.length < limit) && expected.length < candidates.length) {
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
            const end = ends[less - 1] ?? scored.length;
            const sooner = await scoreAll({ run, patience: less });
            if (end >= limit) expect(sooner.scored.length).toBe(end);
          }
        },
      ),
    );
  });

  it("of several sets end where a run brings none among the hundred nearest of all, as far as their first runs tell", async () => {
    const values = fc.array(fc.integer({ min: 0, max: 2_000 }), { minLength: 1, maxLength: 700 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(values, { minLength: 2, maxLength: 4 }),
        fc.integer({ min: 1, max: 200 }),
        fc.integer({ min: 1, max: 3 }),
        async (sets, run, patience) => {
          const memory = ScoreExchange.room(sets.length);
          const found = await Promise.all(
            sets.map((scores) =>
              scoreRuns(
                scoresOf(scores),
                QUERY,
                Uint32Array.from(scores.keys()),
                10,
                { run, patience },
                {
                  queue,
                  exchange: new ScoreExchange(memory, queue),
                },
              ),
            ),
          );
          const hundred = (scores: readonly number[]) => scores.toSorted((a, b) => b - a).slice(0, 100);
          const floorOf = (nearest: readonly number[]) => nearest[99] ?? Number.NEGATIVE_INFINITY;
          for (const [i, scores] of sets.entries()) {
            const others = sets
              .filter((_, other) => other !== i)
              .flatMap((other) => hundred(other.slice(0, run)));
            const first = scores.slice(0, run);
            let nearest = hundred([...first, ...others]);
            let dry = first.some((score) => score >= floorOf(nearest)) ? 0 : 1;
            let count = first.length;
            while ((dry < patience || count < 10 / sets.length) && count < scores.length) {
              const next = scores.slice(count, count + run);
              dry = next.some((score) => score > floorOf(nearest)) ? 0 : dry + 1;
              nearest = hundred([...nearest, ...next]);
              count += next.length;
            }
            expect(found[i]!.scored.length).toBe(count);
            expect(found[i]!.found.scores).toEqual(hundred(scores.slice(0, count)).slice(0, 10));
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

  it("are as many as rows are asked for, however soon nothing comes among the hundred nearest", async () => {
    const values = Array.from({ length: 1_000 }, (_, row) => 1_000 - row);
    const candidates = Uint32Array.from(values.keys());
    const runs = (limit: number) =>
      scoreRuns(scoresOf(values), QUERY, candidates, limit, { run: 50, patience: 1 }, { queue });
    expect((await runs(10)).scored.length).toBe(150);
    expect((await runs(420)).found.rows).toEqual([...candidates.subarray(0, 420)]);
  });
});
