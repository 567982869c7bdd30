import type { Lake } from "../../src/lake/lake.js";
import type { Corpus, RawQuery, RecordsQuery } from "../../src/store/corpus.js";

const RAW_QUERIES: readonly Omit<RawQuery, "platform">[] = [
  { resource: "comment", orderBy: "source", offset: 0, limit: 1000 },
  { resource: "comment", orderBy: "score", descending: true, offset: 3, limit: 50 },
  { resource: "comment", author: "u7", orderBy: "created", offset: 0, limit: 50 },
  {
    resource: "comment",
    author: "u7",
    lang: "zh",
    orderBy: "captured",
    descending: true,
    offset: 0,
    limit: 50,
  },
  { orderBy: "id", text: "CAMERA", offset: 0, limit: 100 },
  { replyTo: null, orderBy: "id", descending: true, offset: 0, limit: 100 },
];

const RECORD_QUERIES: readonly RecordsQuery[] = [
  { orderBy: "captured", descending: true, offset: 0, limit: 200 },
  { orderBy: "likes", descending: true, domains: ["social"], offset: 2, limit: 30 },
  { orderBy: "price", langs: ["en"], offset: 0, limit: 100 },
  { orderBy: "sentiment", platforms: ["global-news"], offset: 0, limit: 100 },
  { orderBy: "id", offset: 10, limit: 100 },
  { orderBy: "plays", withValue: true, offset: 5, limit: 10 },
];

/** Everything that a lake answers, without row numbers: what two lakes of the same slices must agree on to the byte. */
export async function answersOf({ corpus, index }: Lake, queries: readonly string[]): Promise<string> {
  const answers: unknown[] = [
    corpus.recordCount,
    corpus.asOfMs,
    await corpus.rawAsOfMs(),
    corpus.platforms(),
  ];
  const ids = async (rows: readonly number[]) => (await corpus.records(rows)).map(({ id }) => id);
  for (const query of RECORD_QUERIES) {
    const { rows, total } = await corpus.recordsPage(query);
    answers.push(total, await corpus.records(rows));
  }
  for (const query of RAW_QUERIES) answers.push(await corpus.rawPage({ platform: "short-video", ...query }));
  answers.push(await groupPages(corpus));
  answers.push(await corpus.rawBuckets({ platform: "short-video", resource: "comment" }, "week"));
  answers.push(corpus.slices({ offset: 0, limit: 1000 }));
  answers.push((await ids([...corpus.match({ domains: ["web"], langs: ["es"] }).rows()])).sort());
  for (const query of queries) {
    for (const mode of ["keyword", "hybrid"] as const) {
      const { rows, scores } = await index.rank(query, corpus.match({}), { limit: 15, mode });
      answers.push(mode, await ids(rows), scores);
    }
  }
  return JSON.stringify(answers, null, 1);
}

async function groupPages(corpus: Corpus): Promise<unknown[]> {
  const pages: unknown[] = [];
  for (let n = 0; n < 30; n++) {
    const parent = String(100_000_000_000_000 + n);
    for (const orderBy of ["source", "score", "id"] as const) {
      const page = { platform: "short-video", resource: "comment", orderBy, offset: 0, limit: 50 };
      pages.push(await corpus.rawPage({ ...page, parent, replyTo: null, descending: n % 2 === 0 }));
      pages.push(await corpus.rawPage({ ...page, replyTo: String(7_000_001 + 3 * n) }));
    }
  }
  return pages;
}
