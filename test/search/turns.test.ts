import { describe, expect, it } from "vitest";
import { RowSet } from "../../src/contract/lake/row-set.js";
import { EventLoopQueue } from "../../src/search/event-loop-queue.js";
import { buildMemoryIndex } from "../../src/search/memory/memory-index.js";

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

  it("lets who has given up leave, and serves the others", async () => {
    const turns = new EventLoopQueue();
    const aborter = new AbortController();
    const events: string[] = [];
    const waits = ["a", "b", "c"].map((name) =>
      turns.next(name === "b" ? aborter.signal : undefined).then(
        () => events.push(name),
        (error: Error) => events.push(error.message),
      ),
    );
    aborter.abort(new Error("given up"));
    await Promise.all(waits);
    expect(events).toEqual(["given up", "a", "c"]);
    await turns.next();
  });
});

describe("a search", () => {
  /** Rounds of the event loop that go by before it ends. */
  async function roundsOf(work: Promise<unknown>): Promise<number> {
    let rounds = 0;
    let open = true;
    const counted = (async () => {
      while (open) {
        await new Promise((resolve) => setImmediate(resolve));
        rounds += 1;
      }
    })();
    await work;
    open = false;
    await counted;
    return rounds;
  }

  it("shares the work of a long query out among turns of the event loop", async () => {
    const words = Array.from({ length: 80 }, (_, i) => `${String.fromCharCode(97 + (i % 26))}word${i % 7}x`);
    const documents = Array.from({ length: 2_000 }, (_, i) => ({
      id: `web_gnw_${i}`,
      lang: "en",
      text: words.filter((_, k) => (i + k) % 3 > 0).join(" "),
    }));
    const index = await buildMemoryIndex(documents);
    const rank = (query: string) =>
      roundsOf(index.rank(query, RowSet.all(documents.length), { limit: 10, mode: "keyword" }));
    const short = await rank(words.slice(0, 2).join(" "));
    expect(await rank(words.join(" "))).toBeGreaterThan(short + 3);
  });
});
