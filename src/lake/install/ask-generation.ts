import { join } from "node:path";
import { LakeError } from "../../contract/errors.js";
import { unlessLacking } from "../../contract/lacking.js";
import { RowSet } from "../../contract/lake/row-set.js";
import type { Embedder } from "../../search/embed/embedder.js";
import { openIndex } from "../../search/open-index.js";
import type { GenerationCorpus } from "../../store/generation/generation-corpus.js";
import { openGeneration } from "../../store/generation/open-generation.js";
import { SEARCH_FOLDER } from "../lake-paths.js";

const QUERY_WORDS = 8;

/**
 * Opens a generation that is not published yet and asks it: for each platform a record by its id, a search for its words and for
 * its vector, a page of raw items, and of each of its resources a raw item by its key. So a generation that cannot be read is never published.
 * @throws LakeError `generation_unsound`; `too_many_open_files`, `not_readable`, `out_of_memory`, `name_too_long`
 */
export async function askGeneration(
  dir: string,
  options: { readonly embedder?: Embedder } = {},
): Promise<void> {
  try {
    const corpus = await openGeneration(dir, { threads: 1 });
    try {
      await askRecords(dir, corpus, options.embedder);
      await askRaw(corpus);
    } finally {
      await corpus.close();
    }
  } catch (cause) {
    const why = cause instanceof Unsound ? cause.message : `it cannot be read: ${(cause as Error).message}`;
    throw unlessLacking(
      new LakeError("generation_unsound", `The generation that was built is not published: ${why}`, {
        value: dir,
        remedy: "nothing was changed; report it, with the slices that were to be installed",
        cause,
      }),
    );
  }
}

class Unsound extends Error {}

async function askRecords(
  dir: string,
  corpus: GenerationCorpus,
  embedder: Embedder | undefined,
): Promise<void> {
  const index = await openIndex(join(dir, SEARCH_FOLDER), {
    embedder,
    live: async () => corpus.live,
    shown: async () => corpus.shownRows,
  });
  try {
    if (index.documentCount !== corpus.rowCount)
      throw new Unsound(`its index has ${index.documentCount} documents, there are ${corpus.rowCount} rows`);
    for (const { slug } of corpus.manifest.platforms) {
      const [row] = corpus.match({ platforms: [slug] }).rows();
      if (row === undefined) continue;
      const [record] = await corpus.records([row]);
      const found = await corpus.recordRow(record!.id);
      if (found !== row)
        throw new Unsound(`record ${record!.id} is in row ${row}, and found in row ${found}`);
      const words = (record!.title ?? record!.text ?? "").split(/\s+/u).slice(0, QUERY_WORDS).join(" ");
      const among = RowSet.of(corpus.rowCount, [row]);
      await index.rank(words, among, { limit: 1, mode: "keyword" });
      await index.nearest(index.vector(row), among, { limit: 1 });
    }
  } finally {
    await index.close();
  }
}

async function askRaw(corpus: GenerationCorpus): Promise<void> {
  const totals = new Map<string, number>();
  for (const { platform, resource, id, count } of await corpus.db.rows<{
    platform: string;
    resource: string;
    id: string;
    count: number;
  }>("SELECT platform, resource, min(id) AS id, count(*) AS count FROM raw GROUP BY platform, resource")) {
    const item = await corpus.raw(platform, resource, id);
    if (item?.id !== id) throw new Unsound(`raw item ${platform}/${resource}/${id} is not found`);
    totals.set(platform, (totals.get(platform) ?? 0) + count);
  }
  for (const [platform, count] of totals) {
    const { items, total } = await corpus.rawPage({ platform, orderBy: "source", offset: 0, limit: 1 });
    if (total !== count || items[0]?.platform !== platform)
      throw new Unsound(`a page of ${platform} is of ${total} items, there are ${count}`);
  }
}
