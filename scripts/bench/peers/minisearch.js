import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import MiniSearch from "minisearch";

const OPTIONS = { fields: ["text"], storeFields: ["platform"] };

/** MiniSearch: keyword search in memory, no vectors. */
export const minisearch = {
  name: "MiniSearch 7.2.0",
  settings: [{}],

  async build(dir, documents) {
    const index = new MiniSearch(OPTIONS);
    for await (const batch of documents) index.addAll(batch.map((d) => d.record));
    await writeFile(join(dir, "minisearch.json"), JSON.stringify(index));
  },

  async open(dir) {
    const index = MiniSearch.loadJSON(await readFile(join(dir, "minisearch.json"), "utf8"), OPTIONS);
    return {
      keyword: async (text, limit, platform) =>
        index
          .search(text, platform === undefined ? {} : { filter: (hit) => hit.platform === platform })
          .slice(0, limit),
      close: async () => {},
    };
  },
};
