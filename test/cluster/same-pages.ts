import { expect } from "vitest";
import type { Corpus, RawQuery, RecordsQuery } from "../../src/store/corpus.js";

const RAW: readonly Omit<RawQuery, "offset" | "limit">[] = [
  { platform: "short-video", resource: "comment", orderBy: "score", descending: true },
  { platform: "short-video", resource: "comment", replyTo: null, orderBy: "created" },
  { platform: "short-video", orderBy: "id" },
];
const RECORDS: readonly Omit<RecordsQuery, "offset" | "limit">[] = [
  { orderBy: "likes", descending: true, withValue: true },
  { orderBy: "price", withValue: true },
  { orderBy: "captured", descending: true },
];

/** Compares pages that others follow, last ones, and ones past the end: what is on them, and of how many they are. */
export async function expectSamePages(cluster: Corpus, folder: Corpus): Promise<void> {
  const placesOf = (total: number) => [
    { offset: 0, limit: 1 },
    { offset: 2, limit: 7 },
    { offset: Math.max(0, total - 4), limit: 4 },
    { offset: total, limit: 3 },
  ];
  for (const asked of RAW) {
    const { total } = await folder.rawPage({ ...asked, offset: 0, limit: 1 });
    expect(total).toBeGreaterThan(9);
    for (const place of placesOf(total)) {
      const query = { ...asked, ...place };
      expect(await cluster.rawPage(query), JSON.stringify(query)).toEqual(await folder.rawPage(query));
    }
  }
  for (const asked of RECORDS) {
    const { total } = await folder.recordsPage({ ...asked, offset: 0, limit: 1 });
    expect(total).toBeGreaterThan(9);
    for (const place of placesOf(total)) {
      const query = { ...asked, ...place };
      const expected = await folder.listRecords(query);
      expect(await cluster.listRecords(query), JSON.stringify(query)).toEqual(expected);
      const { rows, total } = await cluster.recordsPage(query);
      expect({ records: await cluster.records(rows), total }).toEqual(expected);
    }
  }
}
