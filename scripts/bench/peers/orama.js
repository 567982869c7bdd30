import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { deserialize, serialize } from "node:v8";
import { create, getByID, insertMultiple, load, save, search } from "@orama/orama";
import { comments, PAGE } from "../comments.js";

const SCHEMA = { id: "string", text: "string", title: "string", platform: "enum", vec: "vector[1536]" };

const COMMENTS = { video: "enum", likes: "number" };

async function threadsOf(size) {
  const database = create({ schema: COMMENTS });
  await insertMultiple(database, [...comments(size)], 1000);
  return database;
}

/** Documents up to which a snapshot is written, 31 KB each; reading it takes longer than building the index again. */
const SNAPSHOT_SIZE = 20_000;

async function fill(documents) {
  const database = create({ schema: SCHEMA });
  for await (const batch of documents) {
    await insertMultiple(
      database,
      batch.map((d) => ({ ...d.record, vec: Array.from(d.vector) })),
      1000,
    );
  }
  return database;
}

/**
 * Orama: everything in memory; its own exact vector scan. Its snapshot is written with Node's serialiser, since JSON of this
 * size overflows a string; a large one is not written, so that opening is building.
 */
export const orama = {
  name: "Orama 3.1.18",
  settings: [{}],

  async build(dir, documents, { size }) {
    const database = await fill(documents);
    if (size > SNAPSHOT_SIZE) return;
    const threads = await threadsOf(size);
    await writeFile(join(dir, "orama.bin"), serialize({ records: save(database), threads: save(threads) }));
  },

  async open(dir, { size, documents }) {
    let database;
    let threads;
    if (size <= SNAPSHOT_SIZE) {
      const snapshot = deserialize(await readFile(join(dir, "orama.bin")));
      database = create({ schema: SCHEMA });
      load(database, snapshot.records);
      threads = create({ schema: COMMENTS });
      load(threads, snapshot.threads);
    } else {
      database = await fill(documents());
      threads = await threadsOf(size);
    }
    const where = (platform) => (platform === undefined ? {} : { where: { platform: { eq: platform } } });
    const records = (answer) => answer.hits.map((hit) => hit.document);
    const similarity = 0;
    return {
      keyword: async (text, limit, platform) =>
        records(
          await search(database, {
            mode: "fulltext",
            term: text,
            properties: ["text"],
            limit,
            threshold: 1,
            ...where(platform),
          }),
        ),
      vector: async (vector, limit, platform) =>
        records(
          await search(database, {
            mode: "vector",
            vector: { value: Array.from(vector), property: "vec" },
            similarity,
            limit,
            includeVectors: true,
            ...where(platform),
          }),
        ),
      hybrid: async (text, vector, limit, platform) =>
        records(
          await search(database, {
            mode: "hybrid",
            term: text,
            properties: ["text"],
            vector: { value: Array.from(vector), property: "vec" },
            similarity,
            limit,
            includeVectors: true,
            ...where(platform),
          }),
        ),
      lookup: async (id) => [getByID(database, id)],
      comments: async (video) =>
        records(
          await search(threads, {
            term: "",
            where: { video: { eq: video } },
            sortBy: { property: "likes", order: "DESC" },
            limit: PAGE,
          }),
        ),
      close: async () => {},
    };
  },
};
