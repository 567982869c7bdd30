import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SliceItem } from "../../src/contract/slice/slice-item.js";
import { installSlices } from "../../src/lake/install/install-slices.js";
import { Lake } from "../../src/lake/lake.js";
import { compactLake } from "../../src/lake/maintain/compact-lake.js";
import { removeRecords } from "../../src/lake/removals/remove-records.js";
import { verifyLake } from "../../src/lake/verify/verify-lake.js";
import type { Embedder } from "../../src/search/embed/embedder.js";
import { writeSlices } from "../../src/staging/write-slices.js";
import { readGenerationManifest } from "../../src/store/generation/generation-manifest.js";
import {
  type SegmentSize,
  segmentsThatStay,
  segmentsThatStayAtFirst,
} from "../../src/store/generation/merge-policy.js";
import { countingEmbedder } from "./counting-embedder.js";
import { batches, INFO, makeAlike, makeItems, makeRecord } from "./items.js";
import { answersOf } from "./same-answers.js";

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-merged-"));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

let slices = 0;
async function add(lake: string, items: readonly SliceItem[], embedder?: Embedder) {
  const out = join(dir, `slices-${slices++}`);
  await writeSlices(batches(items), { out, info: INFO });
  return installSlices([out], { lake, threads: 1, embedder });
}

/** Installs items from one number to another, in an edition, as slices of their own. */
const bring = (lake: string, from: number, to: number, edition = 0) =>
  add(lake, makeItems(from, to, edition));
/** The same as one slice. */
const bringAlike = (lake: string, from: number, to: number, edition = 0, embedder?: Embedder) =>
  add(lake, makeAlike(from, to, edition), embedder);

async function manifestOf(lake: string) {
  const current = (await readFile(join(lake, "CURRENT"), "utf8")).trim();
  return readGenerationManifest(join(lake, "generations", current));
}

/** Everything but rankings by vectors, whose candidates may be others in other segments. */
async function answersAt(lake: string): Promise<string> {
  const open = await Lake.open(lake);
  try {
    const answers = [await answersOf(open, [])];
    for (const query of ["camera", "noticias de café", "手机"]) {
      const { rows, scores } = await open.index.rank(query, open.corpus.match({}), {
        limit: 50,
        mode: "keyword",
      });
      answers.push(JSON.stringify([(await open.corpus.records(rows)).map(({ id }) => id), scores]));
    }
    return answers.join("\n");
  } finally {
    await open.close();
  }
}

describe("which segments stay", () => {
  const cost = ({ records, raw }: SegmentSize) => records * 12 + raw;
  const grow = (segments: readonly SegmentSize[], added: SegmentSize): SegmentSize[] => {
    const stay = segmentsThatStay(segments, added);
    const merged = [...segments.slice(stay), added];
    const sum = (kind: keyof SegmentSize) => merged.reduce((total, size) => total + size[kind], 0);
    return [...segments.slice(0, stay), { records: sum("records"), raw: sum("raw") }];
  };

  it("leaves each larger than all later ones together, and so few", () => {
    const size = fc.record({ records: fc.nat(5_000), raw: fc.nat(60_000) });
    fc.assert(
      fc.property(size, fc.array(size, { maxLength: 200 }), (first, installs) => {
        let segments: SegmentSize[] = [first];
        for (const added of installs) {
          segments = grow(segments, added);
          segments.forEach((segment, i) => {
            const later = segments.slice(i + 1).reduce((sum, next) => sum + cost(next), 0);
            if (i < segments.length - 1) expect(cost(segment)).toBeGreaterThan(later);
          });
        }
        const all = segments.reduce((sum, segment) => sum + cost(segment), 0);
        expect(segments.length).toBeLessThanOrEqual(Math.log2(all / 12_000 + 1) + 3);
      }),
    );
  });

  it("rewrites at first no more than comes, or than 2,500 records, and the same once that can be searched", () => {
    const size = fc.record({ records: fc.nat(5_000), raw: fc.nat(60_000) });
    const none = { records: 0, raw: 0 };
    fc.assert(
      fc.property(fc.array(size, { minLength: 1, maxLength: 12 }), size, (segments, added) => {
        const stay = segmentsThatStayAtFirst(segments, added);
        const rewritten = segments.slice(stay).reduce((sum, segment) => sum + cost(segment), 0);
        expect(rewritten).toBeLessThanOrEqual(Math.max(cost(added), 30_000));
        const sum = (kind: keyof SegmentSize) =>
          segments.slice(stay).reduce((total, segment) => total + segment[kind], added[kind]);
        const first = [...segments.slice(0, stay), { records: sum("records"), raw: sum("raw") }];
        const then = Math.min(segmentsThatStay(first, none), first.length - 1);
        expect(then).toBe(segmentsThatStay(segments, added));
      }),
    );
  });

  it("rewrites items as often as there are sizes, however small the installs are", () => {
    let segments: SegmentSize[] = [{ records: 1_000_000, raw: 0 }];
    let written = 0;
    const installs = 3_000;
    for (let i = 0; i < installs; i++) {
      const before = segments;
      segments = grow(segments, { records: 100, raw: 0 });
      expect(segments[0]).toBe(before[0]);
      written += segments.at(-1)!.records;
    }
    expect(segments.length).toBeLessThanOrEqual(10);
    expect(written / (installs * 100)).toBeLessThan(15);
  });
});

describe("a lake of many small installs", () => {
  it("is not rebuilt, and answers as if all had come at once", { tags: "slow" }, async () => {
    const lake = join(dir, "many");
    await bring(lake, 0, 4_200);
    for (let n = 0; n < 4; n++) {
      // Some of each replaces some of the one before.
      const { change } = await bring(lake, 4_200 + n * 310, 4_530 + n * 310, n);
      expect(change).toBe("added");
    }
    const { segments, grown } = await manifestOf(lake);
    expect(segments.length).toBe(3);
    expect(segments.map(({ name }) => name)).toEqual(["0000", "0003", "0004"]);
    expect(grown).toBe(4 * 330);
    expect((await verifyLake(lake)).problems).toEqual([]);
    const answers = await answersAt(lake);
    await compactLake({ lake, threads: 1 });
    expect((await manifestOf(lake)).segments).toHaveLength(1);
    expect(await answersAt(lake)).toBe(answers);
  });

  it("has its embedder refitted when a third came since, though it has not grown, or was compacted between", async () => {
    const lake = join(dir, "updated");
    await bringAlike(lake, 0, 30);
    const kinds: unknown[] = [];
    const kindOf = async (at: string, edition: number) => (await bringAlike(at, 0, 4, edition)).rebuild?.kind;
    for (const n of [1, 2]) kinds.push(await kindOf(lake, n));
    const compacted = join(dir, "compacted");
    await cp(lake, compacted, { recursive: true });
    for (const n of [3, 4]) kinds.push(await kindOf(lake, n));
    expect(kinds).toEqual([undefined, undefined, "refit", undefined]);
    expect((await manifestOf(lake)).grown).toBe(4);
    await compactLake({ lake: compacted, threads: 1 });
    expect((await manifestOf(compacted)).grown).toBe(8);
    expect(await kindOf(compacted, 3)).toBe("refit");
    await compactLake({ lake: compacted, threads: 1, refit: true });
    expect((await manifestOf(compacted)).grown).toBe(0);
  });

  it("asks an embedder of the user's own once for each record", async () => {
    const lake = join(dir, "asked");
    const { asked, embedder } = countingEmbedder();
    await bringAlike(lake, 0, 60, 0, embedder);
    for (let n = 0; n < 5; n++) await bringAlike(lake, 60 + n * 3, 63 + n * 3, 0, embedder);
    expect((await manifestOf(lake)).segments).toHaveLength(2);
    expect(asked).toHaveLength(75);
    const once = join(dir, "asked-once");
    await bringAlike(once, 0, 75, 0, embedder);
    const ranked = async (path: string) => {
      const open = await Lake.open(path, { embedder });
      const { rows, scores } = await open.index.rank("camera", open.corpus.match({}), { limit: 20 });
      const ids = (await open.corpus.records(rows)).map(({ id }) => id);
      await open.close();
      return [ids, scores];
    };
    expect(await ranked(lake)).toEqual(await ranked(once));
  });

  it("grows when all that an install brings is there already, and when all of a segment is gone", async () => {
    const lake = join(dir, "nothing");
    await bring(lake, 0, 60);
    await bring(lake, 60, 63);
    const ids = [60, 61, 62].map((n) => ({ kind: "record", id: makeRecord(n).id }) as const);
    await removeRecords(ids, { lake, reason: "test" });
    await bring(lake, 0, 3, -1);
    await bring(lake, 60, 62, 1);
    expect((await verifyLake(lake)).problems).toEqual([]);
    const copy = join(dir, "nothing-copy");
    await cp(lake, copy, { recursive: true });
    await compactLake({ lake: copy, threads: 1 });
    const open = await Promise.all([lake, copy].map((path) => Lake.open(path)));
    expect(open.map(({ corpus }) => corpus.recordCount)).toEqual([60, 60]);
    for (const one of open) await one.close();
  });
});
