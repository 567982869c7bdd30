import { describe, expect, it } from "vitest";
import type { DocumentTexts } from "../../src/search/segment/analyzer.js";
import { Analyzer } from "../../src/search/segment/analyzer.js";

/** Worker threads run built code. */
const MODULE = new URL("../../dist/search/segment/analysis-threads.js", import.meta.url).href;
type Module = typeof import("../../src/search/segment/analysis-threads.js");

const chunk = (seed: number): DocumentTexts[] =>
  Array.from({ length: 20 }, (_, i) => ({
    lang: i % 2 === 0 ? "en" : "zh",
    language: i % 2,
    texts: [{ text: `record ${seed} of 手机壳 ${i * seed} batteries`, weight: 1 }],
  }));

describe("threads that analyse texts", () => {
  it("answer what one analyzer answers, whatever they were asked before", async () => {
    const { AnalysisThreads } = (await import(MODULE)) as Module;
    expect(AnalysisThreads.available()).toBe(true);
    const threads = new AnalysisThreads(2, true);
    const seeds = [3, 1, 4, 1, 5];
    const answers = await Promise.all(seeds.map((seed) => threads.analyse(chunk(seed))));
    for (const [i, seed] of seeds.entries())
      expect(answers[i]).toEqual(await new Analyzer(true).analyse(chunk(seed)));
    await threads.close();
  });

  it("fail with what a thread throws, and when they are closed", async () => {
    const { AnalysisThreads } = (await import(MODULE)) as Module;
    const broken = new AnalysisThreads(1, false);
    const noTexts = [{ lang: "en" }] as unknown as DocumentTexts[];
    await expect(broken.analyse(noTexts)).rejects.toThrow("not iterable");
    await expect(broken.analyse(chunk(1))).rejects.toThrow("not iterable");
    await broken.close();
    const threads = new AnalysisThreads(1, false);
    const asked = threads.analyse(chunk(2));
    await Promise.all([expect(asked).rejects.toMatchObject({ code: "analysis_ended" }), threads.close()]);
    await expect(threads.analyse(chunk(2))).rejects.toMatchObject({ code: "analysis_ended" });
  });
});
