import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EventLoopQueue } from "../../src/search/event-loop-queue.js";
import { ScoreExchange } from "../../src/search/vector/scores/score-exchange.js";

const sorted = (scores: Iterable<number>) => [...scores].sort((a, b) => b - a);

describe("an exchange of scores", () => {
  it("tells each set what all the others told, in whatever order they come", async () => {
    const told = fc.array(fc.double({ noNaN: true }), { maxLength: 130 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(told, { minLength: 1, maxLength: 6 }),
        fc.boolean(),
        async (sets, inOneThread) => {
          const memory = ScoreExchange.room(sets.length);
          const queue = inOneThread ? new EventLoopQueue() : undefined;
          const learnt = await Promise.all(
            sets.map(async (scores, i) => {
              await sleep(i % 3);
              const exchange = new ScoreExchange(memory, queue);
              exchange.tell(Float64Array.from(scores));
              return exchange.others();
            }),
          );
          const hundreds = sets.map((scores) => scores.slice(0, 100));
          for (const [i, scores] of learnt.entries())
            expect(sorted(scores)).toEqual(sorted(hundreds.filter((_, other) => other !== i).flat()));
        },
      ),
      { numRuns: 40 },
    );
  });

  it("waits for none that has left, and takes nothing from it later", async () => {
    const memory = ScoreExchange.room(2);
    const [stays, leaves] = [new ScoreExchange(memory), new ScoreExchange(memory)];
    leaves.leave();
    leaves.tell(Float64Array.of(1));
    leaves.leave();
    stays.tell(Float64Array.of(2));
    expect(await stays.others()).toEqual(Float64Array.of());
    expect(await leaves.others()).toEqual(Float64Array.of(2));
  });

  it.each([
    ["in one thread", new EventLoopQueue()],
    ["in several", undefined],
  ])("ends with the reason of a signal while it waits, %s", async (_, queue) => {
    const exchange = new ScoreExchange(ScoreExchange.room(2), queue);
    exchange.tell(Float64Array.of(1));
    const abort = new AbortController();
    const waiting = expect(exchange.others(abort.signal)).rejects.toThrow("enough");
    await sleep(5);
    abort.abort(new Error("enough"));
    await waiting;
  });
});
