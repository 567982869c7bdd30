import { describe, expect, it } from "vitest";
import type { CliContext } from "../../src/cli/context.js";
import { showInstall } from "../../src/cli/format/install-phases.js";
import { createProgress } from "../../src/cli/format/progress.js";
import type { InstallProgress } from "../../src/lake/install/publish-generation.js";

/** A progress line on a terminal of 200 cells, what was drawn, and a clock that calls what waits for it. */
function onTerminal() {
  const drawn: string[] = [];
  const err = { isTty: true, columns: 200, redraw: (line: string) => drawn.push(line), write: () => {} };
  let nowMs = 0;
  const waiting = new Set<{ readonly ms: number; readonly call: () => void }>();
  const time = {
    now: () => nowMs,
    every: (ms: number, call: () => void) => {
      const entry = { ms, call };
      waiting.add(entry);
      return () => void waiting.delete(entry);
    },
  };
  const pass = (ms: number) => {
    for (const end = nowMs + ms; nowMs < end; ) {
      nowMs += 100;
      for (const entry of waiting) if (nowMs % entry.ms === 0) entry.call();
    }
  };
  return { drawn, waiting, pass, progress: createProgress({ err } as unknown as CliContext, time) };
}

describe("the progress line", () => {
  it("says each second how long nothing was reported, once that is three seconds", () => {
    const { drawn, waiting, pass, progress } = onTerminal();
    progress.update("measuring recall", 0, 2, "sets");
    pass(2_900);
    expect(drawn).toEqual([expect.stringMatching(/^measuring recall \[ +\] 0\/2 sets$/)]);
    pass(2_200);
    expect(drawn.slice(1)).toEqual([
      expect.stringMatching(/0\/2 sets {2}for 3 s$/),
      expect.stringMatching(/0\/2 sets {2}for 4 s$/),
      expect.stringMatching(/0\/2 sets {2}for 5 s$/),
    ]);
    progress.update("measuring recall", 1, 2, "sets");
    expect(drawn.at(-1)).toMatch(/1\/2 sets {2}6 s left$/);
    progress.end();
    const ended = drawn.length;
    pass(10_000);
    expect(drawn.length).toBe(ended);
    expect(waiting.size).toBe(0);
  });

  it("shows the last that was reported, though it came too soon after another to be drawn", () => {
    const { drawn, pass, progress } = onTerminal();
    for (let done = 1; done <= 8; done++) progress.update("embedding", done, 8, "records");
    expect(drawn).toHaveLength(1);
    pass(3_000);
    expect(drawn.at(-1)).toMatch(/8\/8 records {2}for 3 s$/);
    progress.end();
  });

  it("names what is counted in each phase of an install", () => {
    const { drawn, progress } = onTerminal();
    const show = showInstall(progress);
    const reports: InstallProgress[] = [
      { phase: "fit", done: 0, total: 1_536, unit: "dimensions" },
      { phase: "certify", done: 0, total: 1_152, unit: "questions" },
    ];
    for (const report of reports) show(report);
    expect(drawn[0]).toMatch(/^fitting the embedder .* 0\/1,536 dimensions$/);
    expect(drawn[1]).toMatch(/^measuring recall .* 0\/1,152 questions$/);
    progress.end();
  });
});
