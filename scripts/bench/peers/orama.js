import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { deserialize, serialize } from "node:v8";
import { create, getByID, insertMultiple, load, save, search } from "@orama/orama";

const SCHEMA = { id: "string", text: "string", title: "string", platform: "enum", vec: "vector[1536]" };

/** Orama: everything in memory; its own exact vector scan. Its snapshot is written with Node's serialiser, since JSON of this size overflows a string. */
export const orama = {
  name: "Orama 3.1.18",
  settings: [{}],

  async build(dir, documents) {
    const database = create({ schema: SCHEMA });
    for await (const batch of documents) {
      await insertMultiple(
        database,
        batch.map((d) => ({ ...d.record, vec: Array.from(d.vector) })),
        1000,
      );
    }
    await writeFile(join(dir, "orama.bin"), serialize(save(database)));
  },

  async open(dir) {
    const database = create({ schema: SCHEMA });
    load(database, deserialize(await readFile(join(dir, "orama.bin"))));
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
      close: async () => {},
    };
  },
};
