import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RemovalTarget } from "../../src/contract/lake/removal.js";
import { corpusHash } from "../../src/lake/corpus-hash.js";
import { installSlices } from "../../src/lake/install/install-slices.js";
import { Lake } from "../../src/lake/lake.js";
import { compactLake } from "../../src/lake/maintain/compact-lake.js";
import { removeRecords } from "../../src/lake/removals/remove-records.js";
import { runs } from "../support/campaign.js";
import { count } from "../support/count.js";
import {
  COMPACT,
  commentId,
  commentText,
  EMBEDDER,
  QUICK,
  recordId,
  VIDEO,
  videoId,
  videos,
  write,
} from "./support.js";

const TARGETS: readonly RemovalTarget[] = [
  { kind: "record", id: recordId(2) },
  { kind: "author", platform: VIDEO, id: "uid4" },
  { kind: "raw", platform: VIDEO, resource: "comment", id: commentId(5, 1) },
  { kind: "raw", platform: VIDEO, resource: "video", id: videoId(11) },
];
const SLICES = 3;

let dir: string;
let slices: string[];
let expected: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-sequences-"));
  // Of records 4 to 7 there are two editions, in slices of different months.
  slices = [
    ...(await write(join(dir, "a"), videos(0, 8, 3))),
    ...(await write(join(dir, "b"), videos(4, 12, 40, 1))),
    ...(await write(join(dir, "c"), videos(12, 16, 70))),
  ];
  expect(slices).toHaveLength(SLICES);
  const lake = join(dir, "reference");
  await installSlices(slices, { lake, ...QUICK });
  await removeRecords(TARGETS, { lake, reason: "all at once" });
  expected = await corpusHash(lake);
});
afterAll(() => rm(dir, { recursive: true, force: true }));

type Step =
  | { readonly do: "install" | "remove"; readonly n: number }
  | { readonly do: "compact" | "rebuild" | "refresh" };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant("install" as const), n: fc.nat(SLICES - 1) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("remove" as const), n: fc.nat(TARGETS.length - 1) }) },
  { weight: 2, arbitrary: fc.constantFrom<Step>({ do: "compact" }, { do: "rebuild" }, { do: "refresh" }) },
);

/** What each target takes away: record ids, raw keys and texts. */
const GONE: readonly { records: number[]; comments: [number, number][] }[] = [
  { records: [2], comments: [] },
  { records: [4, 9, 14], comments: [] },
  {
    records: [],
    comments: [
      [5, 1],
      [5, 2],
    ],
  },
  { records: [11], comments: [] },
];

async function expectHidden(open: Lake, removed: ReadonlySet<number>): Promise<void> {
  const shown = JSON.stringify([
    await open.corpus.records([...open.corpus.match({}).rows()]),
    await open.corpus.rawPage({ platform: VIDEO, orderBy: "id", offset: 0, limit: 1000 }),
  ]);
  for (const n of removed) {
    for (const record of GONE[n]!.records) {
      expect(await open.corpus.recordRow(recordId(record))).toBeUndefined();
      expect(await open.corpus.raw(VIDEO, "video", videoId(record))).toBeUndefined();
      expect(shown).not.toContain(`giraffe${record} `);
      expect(shown).not.toContain(commentText(record, 0));
    }
    for (const [video, k] of GONE[n]!.comments) expect(shown).not.toContain(commentText(video, k));
    if (n === 1) expect(shown).not.toMatch(/uid4|hash4/);
  }
}

describe("any sequence of installs, removals, compactions and refreshes", () => {
  it("never shows what was removed, and ends in the same corpus", { tags: "slow" }, async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 8 }), async (steps) => {
        count("sequences");
        const lake = join(dir, `lake-${run++}`);
        const removed = new Set<number>();
        await installSlices([slices[run % SLICES]!], { lake, ...QUICK });
        const open = await Lake.open(lake, { embedder: EMBEDDER, threads: 1 });
        try {
          for (const next of steps) {
            if (next.do === "install") await installSlices([slices[next.n]!], { lake, ...QUICK });
            else if (next.do === "remove") {
              await removeRecords([TARGETS[next.n]!], { lake, reason: "step" });
              removed.add(next.n);
            } else if (next.do === "compact") await compactLake({ lake, ...COMPACT });
            else if (next.do === "rebuild")
              await installSlices([slices[0]!], { lake, rebuild: true, ...QUICK });
            else await open.refresh();
            await expectHidden(open, removed);
          }
          await installSlices(slices, { lake, ...QUICK });
          await removeRecords(TARGETS, { lake, reason: "the rest" });
          expect(await corpusHash(lake)).toBe(expected);
          await compactLake({ lake, ...COMPACT });
          expect(await corpusHash(lake)).toBe(expected);
          await expectHidden(open, new Set(TARGETS.keys()));
          await open.refresh();
          await expectHidden(open, new Set(TARGETS.keys()));
        } finally {
          await open.close();
          await rm(lake, { recursive: true, force: true });
        }
      }),
      runs(2),
    );
  });
});
