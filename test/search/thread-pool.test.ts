import { describe, expect, it } from "vitest";
import type { DocumentTexts } from "../../src/search/segment/analyzer.js";
import { Analyzer } from "../../src/search/segment/analyzer.js";
import { ThreadPool } from "../../src/threads/thread-pool.js";

/** Worker threads run built code. */
const START = new URL("../../build/search/start-worker.js", import.meta.url).href;
const TASKS = new URL("../../build/search/worker-tasks.js", import.meta.url).href;
type Start = typeof import("../../src/search/start-worker.js");
type Tasks = typeof import("../../src/search/worker-tasks.js");

const chunk = (seed: number): DocumentTexts[] =>
  Array.from({ length: 20 }, (_, i) => ({
    lang: i % 2 === 0 ? "en" : "zh",
    language: i % 2,
    texts: [{ text: `record ${seed} of 手机壳 ${i * seed} batteries`, weight: 1 }],
  }));
const noTexts = [{ lang: "en" }] as unknown as DocumentTexts[];

async function poolOf(
  threads: number,
  options: { readonly ahead?: number; readonly isolated?: boolean } = {},
) {
  const { startWorker } = (await import(START)) as Start;
  return new ThreadPool({ threads, start: () => startWorker("tasks"), ...options });
}

describe("a pool of threads", () => {
  it.each([{}, { ahead: 2 }, { isolated: true }])(
    "answers what the function answers, whatever was asked before (%j)",
    async (options) => {
      const pool = await poolOf(2, options);
      const seeds = [3, 1, 4, 1, 5];
      const answers = await Promise.all(seeds.map((seed) => pool.run("extractBoth", chunk(seed))));
      for (const [i, seed] of seeds.entries())
        expect(answers[i]).toEqual(
          await new Analyzer({ postings: true, features: true }).analyse(chunk(seed)),
        );
      await pool.close();
    },
  );

  it("fails one task with what it throws, and runs the next", async () => {
    const pool = await poolOf(1);
    await expect(pool.run("extractPostings", noTexts)).rejects.toThrow("of undefined");
    await expect(pool.run("no such task", 1)).rejects.toThrow("not a function");
    await expect(pool.run("extractPostings", () => {})).rejects.toThrow("could not be cloned");
    expect(
      await pool.run("countPart", { part: { chunks: [] } }).catch((error: Error) => error),
    ).toBeInstanceOf(Error);
    await pool.close();
  });

  it("fails what is under way and what comes later when it is closed", async () => {
    const pool = await poolOf(1);
    const asked = [pool.run("extractPostings", chunk(2)), pool.run("analyse", chunk(3))];
    const refused = asked.map((task) => expect(task).rejects.toMatchObject({ code: "threads_closed" }));
    await pool.close();
    await Promise.all(refused);
    await expect(pool.run("extractPostings", chunk(2))).rejects.toMatchObject({ code: "threads_closed" });
  });

  it("fails when a thread ends that was needed", async () => {
    const { startWorker } = (await import(START)) as Start;
    const pool = new ThreadPool({
      threads: 1,
      start: () => {
        const worker = startWorker("tasks");
        void worker.terminate();
        return worker;
      },
    });
    await expect(pool.run("extractPostings", chunk(1))).rejects.toMatchObject({ code: "thread_ended" });
    await pool.close();
  });
});

describe("tasks", () => {
  it("give the same in threads and in this one", async () => {
    const { runTasks } = (await import(TASKS)) as Tasks;
    const tasks = [1, 2, 3].map(chunk);
    const done: unknown[] = [];
    const inThreads = await runTasks("extractPostings", tasks, {
      threads: 2,
      onDone: (task) => done.push(task),
    });
    expect(inThreads).toEqual(await runTasks("extractPostings", tasks, { threads: 0 }));
    expect(new Set(done)).toEqual(new Set(tasks));
  });

  it.each([0, 2])("stop with the signal's reason in %i threads", async (threads) => {
    const { runTasks } = (await import(TASKS)) as Tasks;
    const abort = new AbortController();
    const reason = new Error("enough");
    const running = runTasks("extractPostings", [chunk(1), chunk(2), chunk(3)], {
      threads,
      signal: abort.signal,
    });
    abort.abort(reason);
    await expect(running).rejects.toBe(reason);
    await expect(runTasks("extractPostings", [chunk(1)], { threads, signal: abort.signal })).rejects.toBe(
      reason,
    );
  });
});
