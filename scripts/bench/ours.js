import { join } from "node:path";
import { built } from "../built.js";
import { comments, PAGE } from "./comments.js";
import { PLATFORMS } from "./texts.js";

const { installSlices, openLake, writeSlices } = /** @type {typeof import("../../src/index.js")} */ (
  await built("index.js")
);

const { parseUsd } = /** @type {typeof import("../../src/contract/money.js")} */ (
  await built("contract/money.js")
);

const CAPTURED = "2026-11-20T12:00:00+00:00";
const LICENCE = "see the source collections";

/** Document as a record for writeSlices, which computes its hash. */
export function recordOf({ id, lang, text, platform }) {
  const title = text.slice(0, 80);
  return {
    id,
    src: "web",
    platform,
    lang,
    title,
    text,
    sentiment: { score: (text.length % 21) - 10, label: "neutral" },
    entities: [text.split(" ", 1)[0]],
    extra: { category: platform },
    prov: { ts: CAPTURED },
  };
}

/** Comment as a raw item of a slice. */
function rawItemOf({ cid, video, text, likes, day, author }) {
  const created_at = `${day}T08:00:00+00:00`;
  return {
    platform: "short-video",
    resource: "comment",
    id: cid,
    parent: video,
    author,
    lang: "en",
    captured_at: CAPTURED,
    created_at,
    score: likes,
    data: {
      cid,
      text,
      likes,
      ip_location: "",
      reply_count: 0,
      created_at,
      is_hot: false,
      images: [],
      author: { uid_hash: author, nickname: author, uid: author, sec_uid: author, unique_id: author },
    },
  };
}

/** An embedder whose document vectors all came with the slices; it embeds queries as the given one does. */
function givenEmbedder(queryVectors) {
  return {
    id: "bench-vectors",
    dims: 1536,
    embedDocuments: async (texts) => {
      if (texts.length > 0) throw new Error("every document of this benchmark brings its vector");
      return [];
    },
    embedQuery: async (text) => queryVectors.get(text),
  };
}

/** Mirrorlake, through its public interface alone. */
export const ours = {
  name: "Mirrorlake",
  settings: [{}],

  /** Writes the slices that {@link ours.build} installs. */
  async prepare(dir, batches, { size, vectors }) {
    const items = async function* () {
      for await (const batch of batches) {
        yield batch.map((d) => ({
          kind: "record",
          record: d.record,
          ...(vectors ? { vector: d.vector } : {}),
        }));
      }
      for (const comment of comments(size)) yield [{ kind: "raw", raw: rawItemOf(comment) }];
    };
    await writeSlices(items(), {
      out: join(dir, "slices"),
      info: {
        title: "Benchmark texts",
        licence: LICENCE,
        platforms: PLATFORMS.map(({ slug, code }) => ({ slug, code, domain: "web", name: slug })),
        ...(vectors ? { vectorModel: "bench-vectors" } : {}),
      },
    });
  },

  async build(
    dir,
    _documents,
    /** @type {{ queryVectors?: Map<string, Float32Array> }} */ { queryVectors } = {},
  ) {
    await installSlices([join(dir, "slices")], {
      lake: join(dir, "lake"),
      threads: 2,
      ...(queryVectors ? { embedder: givenEmbedder(queryVectors), localSet: false } : {}),
    });
  },

  async open(dir, /** @type {{ queryVectors?: Map<string, Float32Array> }} */ { queryVectors } = {}) {
    const client = await openLake(join(dir, "lake"), {
      limits: "off",
      ...(queryVectors ? { embedder: givenEmbedder(queryVectors) } : {}),
    });
    const { index, corpus } = client.lake;
    const among = (platform) => corpus.match(platform === undefined ? {} : { platforms: [platform] });
    const full = async ({ rows }) => {
      const [records, vectors] = await Promise.all([corpus.records(rows), index.vectors(rows)]);
      return records.map((record, i) => ({ ...record, vec: vectors[i] }));
    };
    const ranked = (mode) => async (text, limit, platform) =>
      full(await index.rank(text, among(platform), { limit, mode }));
    return {
      client,
      /** Money for the questions, which is no part of opening. */
      ready: () => client.account.topUp(parseUsd("1000000")),
      keyword: ranked("keyword"),
      vector: async (vector, limit, platform) =>
        full({ rows: await index.nearest(vector, among(platform), { limit }) }),
      hybrid: async (text, _vector, limit, platform) => {
        const { data } = await client.search({
          query: text,
          limit,
          freshness: "90d",
          ...(platform === undefined ? {} : { platforms: [platform] }),
        });
        return data;
      },
      lookup: async (id) => corpus.records([(await corpus.recordRow(id)) ?? -1]),
      comments: async (video) => {
        const { data } = await client.raw("short-video", "comments", { item_id: video, count: PAGE });
        return data.items;
      },
      close: () => client.close(),
    };
  },
};
