import type { StoredRecord } from "../../src/contract/service/unified-record.js";
import type { LakeHandle } from "../../src/lake/lake-handle.js";
import type { RankMode } from "../../src/search/search-index.js";
import type { RawQuery } from "../../src/store/corpus.js";
import { recordId, VIDEO, videoId } from "../evolution/support.js";

const QUERIES = ["phone camera", "手机 noticias", "giraffe3 video", '"rumah murah"', "zebra2x1"];
const RAW: readonly RawQuery[] = [
  { platform: VIDEO, resource: "comment", orderBy: "source", offset: 0, limit: 1000 },
  {
    platform: VIDEO,
    resource: "comment",
    author: "uid2",
    orderBy: "score",
    descending: true,
    offset: 0,
    limit: 50,
  },
  { platform: VIDEO, resource: "video", orderBy: "id", offset: 0, limit: 1000 },
  { platform: VIDEO, replyTo: null, orderBy: "captured", offset: 2, limit: 30 },
  { platform: "global-marketplace", orderBy: "id", offset: 0, limit: 100 },
];

/** All that two lakes of the same slices and removals agree on, without numbers of rows. */
export async function answersOf(
  lake: LakeHandle,
  modes: readonly RankMode[] = ["keyword", "semantic", "hybrid"],
): Promise<unknown> {
  return lake.use(async ({ corpus, index }) => {
    const answers: unknown[] = [corpus.recordCount, corpus.asOfMs, await corpus.rawAsOfMs()];
    const known = new Map<number, StoredRecord>();
    /** Records of rows, each read once: the first page has all of them, and what follows tells only which rows, in which order. */
    const records = async (rows: readonly number[]) => {
      const fresh = rows.filter((row) => !known.has(row));
      const read = fresh.length === 0 ? [] : await corpus.records(fresh);
      for (const [i, record] of read.entries()) known.set(fresh[i]!, record);
      return rows.map((row) => known.get(row)!);
    };
    for (const orderBy of ["id", "drop_7d", "likes", "captured"] as const) {
      const page = { orderBy, descending: true, offset: 0, limit: 1000 } as const;
      for (const withValue of [false, true]) {
        const { rows, total } = await corpus.recordsPage({ ...page, withValue });
        answers.push(total, await records(rows));
      }
    }
    for (const query of RAW) answers.push(await corpus.rawPage(query));
    answers.push(await corpus.rawBuckets({ platform: VIDEO, resource: "comment" }, "week"));
    for (const n of [0, 2, 3, 4, 8, 11, 25]) {
      answers.push((await corpus.recordRow(recordId(n))) !== undefined);
      answers.push(await corpus.raw(VIDEO, "video", videoId(n)));
    }
    for (const query of QUERIES)
      for (const mode of modes) {
        const { rows, scores } = await index.rank(query, corpus.match({}), { limit: 15, mode });
        answers.push(
          query,
          mode,
          (await records(rows)).map(({ id }) => id),
          scores,
        );
      }
    return answers;
  });
}
