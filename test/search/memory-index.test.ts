import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { RowSet } from "../../src/contract/lake/row-set.js";
import { buildIndex } from "../../src/search/build-index.js";
import type { IndexDocument } from "../../src/search/document.js";
import { buildMemoryIndex } from "../../src/search/memory/memory-index.js";
import { openIndex } from "../../src/search/open-index.js";

const WORDS = "boots trail mountain hiking rain waterproof leather summit lake storm guide map tent".split(
  " ",
);
const CHINESE = "登山 鞋 雨 天 徒步 山 路 帐篷".split(" ");

function documents(count: number): IndexDocument[] {
  return Array.from({ length: count }, (_, i) => {
    const words = i % 5 === 4 ? CHINESE : WORDS;
    const at = (n: number) => words[(i * 7 + n * 3 + ((i * n) % 5)) % words.length]!;
    return {
      id: `soc_dyn_${String(i).padStart(4, "0")}`,
      lang: i % 5 === 4 ? "zh" : "en",
      title: i % 3 === 0 ? `${at(0)} ${at(1)}` : undefined,
      text: `${at(2)} ${at(3)} ${at(4)} ${at(5)} ${i}`,
      comment_thread: i % 4 === 0 ? [at(6), `${at(7)} ${at(8)}`] : undefined,
    };
  });
}

describe("an index in memory", () => {
  test.each([1, 10, 300, 1400])("ranks %i documents as one on disk does, to the last bit", async (count) => {
    const rows = documents(count);
    const dir = await mkdtemp(join(tmpdir(), "mirrorlake-memory-index-"));
    async function* source() {
      yield rows;
    }
    await buildIndex(join(dir, "index"), source, { threads: 0 });
    const disk = await openIndex(join(dir, "index"), { exact: true });
    const memory = await buildMemoryIndex(rows);
    try {
      expect(memory.embedderId).toBe(disk.embedderId);
      const all = RowSet.all(count);
      const even = RowSet.fromPredicate(count, (row) => row % 2 === 0);
      for (const query of ["hiking boots", '"mountain hiking" rain', "登山鞋", "waterproofs", "zzz"]) {
        for (const candidates of [all, even]) {
          const wanted = await disk.rank(query, candidates, { limit: 20 });
          expect(await memory.rank(query, candidates, { limit: 20 })).toEqual(wanted);
        }
      }
      expect(memory.vector(count - 1)).toEqual(disk.vector(count - 1));
    } finally {
      await disk.close();
      await memory.close();
      await rm(dir, { recursive: true });
    }
  });

  test("of no documents answers nothing", async () => {
    const memory = await buildMemoryIndex([]);
    expect((await memory.rank("boots", RowSet.none(0), { limit: 5 })).rows).toEqual([]);
  });
});
