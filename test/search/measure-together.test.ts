import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Problem } from "../../src/lake/verify/problem.js";
import { verifyTogether } from "../../src/lake/verify/verify-recall.js";
import { buildIndex } from "../../src/search/build-index.js";
import type { IndexDocument } from "../../src/search/document.js";
import { measureTogether } from "../../src/search/measure-together.js";

const COUNT = 4_500;
let folder: string;
let one: string;
let two: string;

/** Texts of a dozen words of three thousand, some of them frequent. */
const documents = (first: number) =>
  async function* (): AsyncGenerator<IndexDocument[]> {
    let state = first + 1;
    const word = () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return `w${Math.floor((state / 2 ** 32) ** 2 * 3_000).toString(36)}x`;
    };
    yield Array.from({ length: COUNT }, (_, i) => ({
      id: `web_gnw_${String(first + i).padStart(5, "0")}`,
      lang: "en",
      text: Array.from({ length: 12 }, word).join(" "),
    }));
  };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mirrorlake-together-"));
  one = join(folder, "one");
  two = join(folder, "two");
  await buildIndex(one, documents(0), { threads: 0 });
  await buildIndex(two, documents(COUNT), { base: { dir: one }, threads: 0 });
});
afterAll(() => rm(folder, { recursive: true }));

// The two sets take longer to build than the tests do.
describe("what the sets of an index find together", { tags: "slow" }, () => {
  it("is measured with questions of each, and suffices", async () => {
    const found = await measureTogether(two);
    expect(found).toMatchObject({ queries: 64, sufficient: true });
    expect(found!.recall10).toBeGreaterThan(0.98);
    expect(found!.recall100).toBeGreaterThan(0.97);
    const problems: Problem[] = [];
    const reported = await verifyTogether(two, {}, problems, "rebuild it");
    expect(reported).toEqual({ queries: 64, recall10: found!.recall10, recall100: found!.recall100 });
    expect(problems).toEqual([]);
  });

  it("is not measured of a single one, nor where recall is not asked for", async () => {
    expect(await measureTogether(one)).toBeUndefined();
    expect(await verifyTogether(two, { recall: false }, [], "rebuild it")).toBeUndefined();
  });

  it("is a problem where it is too little", async () => {
    const worn = join(folder, "worn");
    await cp(two, worn, { recursive: true });
    // Codes then say little of what vectors are.
    const noise = Float32Array.from({ length: 1536 }, (_, i) => ((i * 7_919) % 13) / 5);
    for (const segment of ["segment-0000", "segment-0001"])
      await writeFile(join(worn, segment, "local", "mean.f32"), new Uint8Array(noise.buffer));
    const problems: Problem[] = [];
    const found = await verifyTogether(worn, {}, problems, "rebuild it");
    expect(found!.recall100).toBeLessThan(0.97);
    expect(problems).toEqual([
      {
        code: "recall_together_low",
        message: expect.stringMatching(
          /^The sets of the index find 0\.\d{4} of the ten and 0\.\d{4} of the hundred/,
        ),
        value: worn,
        remedy: "rebuild it",
      },
    ]);
  });

  it("ends with the reason of a signal", async () => {
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(measureTogether(two, { signal })).rejects.toThrow("enough");
  });
});
