import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ingest, installSlices, loadAdapter, openLake, publishSlices, pullSlices } from "mirrorlake";
/** @import { InstallReport } from "mirrorlake" */
import { generate, videoId, videos } from "./generate.js";
import { givenEmbedder, slicesOf } from "./given-vectors.js";
import { MAPPING } from "./mapping.js";
import { quantile, round, times } from "./measure.js";
import { seeded } from "./random.js";
import { measureSearch } from "./search.js";

/**
 * What a step works with.
 * @typedef {{ readonly records: number; readonly data: string; readonly folder: string; readonly url: string; readonly vectors: "text" | "given"; }} StepInput
 */

/**
 * What a step did: how many things of which kind, and figures of its own.
 * @typedef {{ readonly count: number; readonly unit: "records" | "MB" | "calls"; readonly notes?: Readonly<Record<string, number | string>>; }} StepDone
 */

const MODE = /** @type {const} */ ({
  input: "input",
  slices: "slices",
  published: "published",
  lake: "lake",
  given: "lake-given",
});

/**
 * The steps, each for a process of its own.
 * @type {Readonly<Record<string, (input: StepInput) => Promise<StepDone>>>}
 */
export const STEPS = {
  async generate({ records, data, folder }) {
    await generate(records, data, join(folder, MODE.input));
    return { count: records, unit: "records" };
  },

  async ingest({ folder }) {
    const mapping = join(folder, "mapping.json");
    await writeFile(mapping, JSON.stringify(MAPPING));
    const report = await ingest([join(folder, MODE.input)], {
      adapter: await loadAdapter(mapping),
      out: join(folder, MODE.slices),
      authorSalt: "million",
      replace: true,
    });
    if (report.rejected + report.rejectedItems > 0)
      throw new Error(`rejects: ${JSON.stringify(report.rejectsByReason)}`);
    return {
      count: report.records,
      unit: "records",
      notes: { raw: report.raw, slices: report.slices.length, MB: megabytes(report.slices) },
    };
  },

  async publish({ folder }) {
    const { total } = await publishSlices([join(folder, MODE.slices)], { out: join(folder, MODE.published) });
    return { count: Math.round(total.bytes / 1e6), unit: "MB", notes: { slices: total.slices } };
  },

  /** Fetches, and stops where the install would begin; what has come stays for the next pull. */
  async pull({ folder, url }) {
    const stop = new AbortController();
    let bytes = 0;
    await pullSlices(url, {
      lake: join(folder, MODE.lake),
      signal: stop.signal,
      onProgress: (progress) => {
        if (progress.phase === "download") bytes = progress.done;
        else stop.abort();
      },
    }).catch((/** @type {unknown} */ error) => {
      if (!stop.signal.aborted) throw error;
    });
    return { count: Math.round(bytes / 1e6), unit: "MB" };
  },

  /**
   * Pulls again: everything is there, so this is the install alone. With the vectors that came with the records, the
   * published slices are installed into a lake of their own.
   */
  async install({ folder, url, vectors }) {
    const phases = new Map();
    let last = performance.now();
    /** @param {string} phase */
    const took = (phase) => {
      const now = performance.now();
      phases.set(phase, (phases.get(phase) ?? 0) + now - last);
      last = now;
    };
    /** @type {InstallReport | undefined} */
    let report;
    let fetched = 0;
    if (vectors === "given") {
      report = await installSlices(await slicesOf(join(folder, MODE.published)), {
        lake: join(folder, MODE.given),
        embedder: givenEmbedder(),
        localSet: false,
        onProgress: ({ phase }) => took(phase),
      });
    } else {
      const pulled = await pullSlices(url, {
        lake: join(folder, MODE.lake),
        onProgress: (progress) =>
          took(progress.phase === "install" ? progress.install.phase : progress.phase),
      });
      report = pulled.install;
      fetched = Math.round(pulled.bytesFetched / 1e6);
    }
    const notes = Object.fromEntries(
      [...phases].map(([phase, ms]) => [`${phase} s`, Math.round(ms / 100) / 10]),
    );
    return { count: report?.total.records ?? 0, unit: "records", notes: { "fetched MB": fetched, ...notes } };
  },

  async query({ records, folder, data, vectors }) {
    const given = vectors === "given";
    const opened = performance.now();
    const client = await openLake(join(folder, given ? MODE.given : MODE.lake), {
      account: "memory",
      limits: "off",
      ...(given ? { embedder: givenEmbedder() } : {}),
    });
    const openMs = performance.now() - opened;
    try {
      const aggregate = await times(5, () =>
        client.sql(`SELECT platform, lang, count(*) AS n, avg(metrics_likes) AS likes, max(price_current) AS dearest
          FROM records GROUP BY ALL ORDER BY ALL`),
      );
      const random = seeded(7);
      const { all, commented } = videos(records);
      /** @param {readonly number[]} of */
      const pick = (of) => videoId(of[random(of.length)]);
      const raw = await times(2000, async () => {
        const { data } = await client.raw("short-video", "video", { item_id: pick(all) });
        if (data === null) throw new Error("a video is not found");
      });
      const comments = await times(2000, async () => {
        const { data } = await client.raw("short-video", "comments", { item_id: pick(commented) });
        if (data === null) throw new Error("a comments page is not found");
      });
      const search = await measureSearch(client, data);
      return {
        count: 4000,
        unit: "calls",
        notes: {
          "open ms": round(openMs),
          "sql aggregate ms": round(quantile(aggregate, 0.5)),
          "sql aggregate, first, ms": round(aggregate[0]),
          "raw look-up p50 ms": round(quantile(raw, 0.5)),
          "raw look-up p99 ms": round(quantile(raw, 0.99)),
          "comments page p50 ms": round(quantile(comments, 0.5)),
          "comments page p99 ms": round(quantile(comments, 0.99)),
          ...search,
        },
      };
    } finally {
      await client.close();
    }
  },
};

/**
 * @param {readonly { readonly bytes: number }[]} slices
 * @returns {number}
 */
function megabytes(slices) {
  return Math.round(slices.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6);
}
