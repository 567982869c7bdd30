import * as lancedb from "@lancedb/lancedb";
import { comments, PAGE } from "../comments.js";

/** Search settings tried in turn; the fastest that reaches the recall asked for is the one that is compared. */
const SETTINGS = [
  { ef: 64 },
  { ef: 128 },
  { ef: 256, refine: 2 },
  { ef: 400, refine: 3 },
  { ef: 800, refine: 4 },
  { ef: 1600, refine: 10 },
  { ef: 4000, refine: 40 },
];

/**
 * LanceDB: an HNSW index with scalar quantisation over the vectors, full-text index over the text. A page of comments is any
 * of the video's, since its queries do not sort.
 */
export const lance = {
  name: "LanceDB 0.37.1",
  settings: SETTINGS,

  async build(dir, documents, { size }) {
    const connection = await lancedb.connect(dir);
    let table;
    for await (const batch of documents) {
      const rows = batch.map((d) => ({
        ...d.record,
        platform: d.record.platform,
        prov: JSON.stringify(d.record.prov),
        vec: Array.from(d.vector),
      }));
      const columns = lancedb.makeArrowTable(rows, {
        vectorColumns: { vec: new lancedb.VectorColumnOptions() },
      });
      if (table === undefined) table = await connection.createTable("records", columns);
      else await table.add(columns);
    }
    await table.createIndex("vec", {
      config: lancedb.Index.hnswSq({ distanceType: "cosine", numPartitions: 1 }),
    });
    await table.createIndex("text", { config: lancedb.Index.fts() });
    await table.createIndex("platform", { config: lancedb.Index.bitmap() });
    await table.createIndex("id", { config: lancedb.Index.btree() });
    await table.optimize();
    const threads = await connection.createTable("comments", [...comments(size)]);
    await threads.createIndex("video", { config: lancedb.Index.btree() });
  },

  async open(dir) {
    const connection = await lancedb.connect(dir);
    const table = await connection.openTable("records");
    const threads = await connection.openTable("comments");
    const reranker = await lancedb.rerankers.RRFReranker.create();
    const tune = (query, setting, limit) => {
      let tuned = query.ef(Math.max(setting.ef, limit * (setting.refine ?? 1)));
      if (setting.refine !== undefined) tuned = tuned.refineFactor(setting.refine);
      return tuned;
    };
    const filtered = (query, platform) =>
      platform === undefined ? query : query.where(`platform = '${platform}'`);
    return {
      keyword: (text, limit, platform) =>
        filtered(table.query().fullTextSearch(text, { columns: ["text"] }), platform)
          .limit(limit)
          .toArray(),
      vector: (vector, limit, platform, setting) =>
        filtered(tune(table.query().nearestTo(vector), setting, limit), platform)
          .limit(limit)
          .toArray(),
      hybrid: (text, vector, limit, platform, setting) =>
        filtered(
          tune(table.query().nearestTo(vector), setting, limit).fullTextSearch(text, { columns: ["text"] }),
          platform,
        )
          .rerank(reranker)
          .limit(limit)
          .toArray(),
      lookup: (id) => table.query().where(`id = '${id}'`).limit(1).toArray(),
      comments: (video) => threads.query().where(`video = '${video}'`).limit(PAGE).toArray(),
      close: async () => table.close(),
    };
  },
};
