import { describe, expect, it } from "vitest";
import { EventLoopQueue } from "../../src/search/event-loop-queue.js";

describe("EventLoopQueue", () => {
  it("gives each who waits a round of the event loop of its own, in the order of asking", async () => {
    const turns = new EventLoopQueue();
    const events: string[] = [];
    let open = true;
    const rounds = (async () => {
      while (open) {
        await new Promise((resolve) => setImmediate(resolve));
        events.push("|");
      }
    })();
    const searcher = async (name: string) => {
      for (let step = 0; step < 3; step += 1) {
        await turns.next();
        events.push(name);
      }
    };
    await Promise.all(["a", "b", "c"].map(searcher));
    open = false;
    await rounds;
    const work = events.join("").split("|");
    expect(work.join("")).toBe("abcabcabc");
    expect(Math.max(...work.map((done) => done.length))).toBe(1);
  });
});
