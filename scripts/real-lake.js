import { existsSync } from "node:fs";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { ingest, installSlices, MirrorlakeError, openLake, PLATFORMS } from "mirrorlake";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const DATA = resolve(ROOT, "../shared/data");

/** When data that does not say its own capture instant is taken to have been captured: the day of the newest prices. */
const CAPTURED_AT = "2026-05-29T12:00:00Z";

/**
 * Every folder of the real data, the adapter of its shape, and whether it carries its own capture instants.
 * @type {readonly (readonly [folder: string, adapter: string, ownCapture?: "own capture"])[]}
 */
const SOURCES = [
  ["social_short_video_native", "short-video-native"],
  ["social_weibo_zh", "microblog-tree"],
  ["social_video_community_zh", "video-community"],
  ["social_long_video_transcripts_en", "video-transcripts"],
  ["ecom_marketplace_reviews_id", "marketplace-reviews"],
  ["ecom_price_history_es", "price-history", "own capture"],
  ["emb_azure_products_en", "products-with-vectors"],
  ["emb_autodoc_solana_en", "documents-with-vectors"],
  ["emb_roam_qa_en", "documents-with-vectors"],
  ["web_news_gdelt", "gdelt"],
  ["web_news_sentiment_en", "news-sentiment"],
  ["web_indonlu_id", "indonlu"],
  ["ir_cranfield_en", "beir"],
  ["ir_xquad_multi", "beir"],
];

/** What the lake is asked in the end, and what a sensible answer is about. */
const QUESTIONS = /** @type {const} */ ([
  { query: "手机", freshness: "90d" },
  { query: "wireless mouse", domains: ["ecommerce"], freshness: "90d" },
  { query: "charger hp fast charging", domains: ["ecommerce"], freshness: "90d" },
  { query: "aceite de oliva virgen extra", domains: ["ecommerce"], freshness: "90d" },
  {
    query: "president trump immigration policy",
    domains: ["web"],
    platforms: ["global-news"],
    freshness: "90d",
  },
  { query: "banjir jakarta", freshness: "90d" },
]);

/** A video of the short-video platform, and works whose comments are paged to the end. */
const VIDEO = "6932229950720216325";
const COMMENTS = /** @type {const} */ ([
  ["raw.short-video.comments", { item_id: "6993829555089706245", count: 1 }],
  ["raw.microblog.comments", { post_id: "zsxsrk3iY", count: 20 }],
  ["raw.microblog.comments", { post_id: "znZC2x4vF", count: 50 }],
]);

/** The same on every machine, so that two lakes of the same data can be compared byte by byte. */
const AUTHOR_SALT = "mirrorlake";

const HELP = `usage: npm run real-lake -- [--lake DIR] [--slices DIR] [--texts DIR] [--keep]

Ingests every folder of ../shared/data, installs the slices into one lake and asks it things.

  --lake DIR    where the lake goes (default .mirrorlake/real)
  --slices DIR  where the slices go (default .mirrorlake/real-slices)
  --texts DIR   further texts: a file <platform>.jsonl for each platform, a line {id, lang, title, text, source} for each record,
                such as npm run task public-texts draws
  --keep        add to an earlier lake instead of removing it first`;

const { values } = parseArgs({
  options: {
    help: { type: "boolean", default: false },
    lake: { type: "string", default: join(ROOT, ".mirrorlake/real") },
    slices: { type: "string", default: join(ROOT, ".mirrorlake/real-slices") },
    texts: { type: "string" },
    keep: { type: "boolean", default: false },
  },
});

/**
 * Says what the lines of further texts mean. A platform that is not shipped is one of the web.
 * @param {string} platform
 */
function textsMapping(platform) {
  const shipped = PLATFORMS.some(({ slug }) => slug === platform);
  const own = { slug: platform, domain: "web", code: platform.slice(0, 3), name: platform };
  return {
    mapping: 1,
    name: `texts-of-${platform}`,
    info: { title: `Texts of ${platform}`, licence: "unknown", platforms: shipped ? [] : [own] },
    sources: [{ name: "texts", files: ["*.jsonl"] }],
    defaults: { platform },
    rules: [
      {
        from: "texts",
        record: {
          id: "id",
          lang: { path: "lang" },
          fields: { title: "title", text: "text", "extra.source": "source" },
        },
      },
    ],
  };
}

/**
 * What is ingested: each input, the adapter of its shape, and the folder that its slices go to.
 * @returns {Promise<{ input: string, adapter: string, out: string, own?: "own capture" | undefined }[]>}
 */
async function inputs() {
  const known = SOURCES.map(([folder, adapter, own]) => ({
    input: join(DATA, folder),
    adapter,
    out: folder,
    own,
  }));
  if (values.texts === undefined) return known;
  const files = (await readdir(values.texts)).filter((name) => name.endsWith(".jsonl")).sort();
  const further = files.map(async (file) => {
    const platform = file.slice(0, -".jsonl".length);
    const adapter = join(values.slices, `texts-${platform}.json`);
    await writeFile(adapter, JSON.stringify(textsMapping(platform)));
    return { input: join(/** @type {string} */ (values.texts), file), adapter, out: `texts-${platform}` };
  });
  return [...known, ...(await Promise.all(further))];
}

/** @param {number} n */
const count = (n) => n.toLocaleString("en-US");
/** @param {number} since */
const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`;

/** @returns {Promise<void>} */
async function main() {
  if (values.help) return console.log(HELP);
  if (!existsSync(DATA)) throw new Error(`${DATA} is absent: the real data stands beside the repository`);
  const known = new Set(SOURCES.map(([folder]) => folder));
  const present = (await readdir(DATA, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  const unknown = present.map(({ name }) => name).filter((name) => !known.has(name));
  if (unknown.length > 0) throw new Error(`no adapter is named for ${unknown.join(", ")}`);

  if (!values.keep) {
    await rm(values.lake, { recursive: true, force: true });
    await rm(values.slices, { recursive: true, force: true });
  }
  await mkdir(values.slices, { recursive: true });

  const started = performance.now();
  /** @type {string[]} */
  const dirs = [];
  const total = { read: 0, records: 0, raw: 0, rejected: 0, unused: 0 };
  for (const { input, adapter, out, own } of await inputs()) {
    const at = performance.now();
    const report = await ingest([input], {
      adapter,
      out: join(values.slices, out),
      replace: true,
      authorSalt: AUTHOR_SALT,
      ...(own === undefined ? { capturedAt: CAPTURED_AT } : {}),
    });
    dirs.push(...report.slices.map(({ dir }) => dir));
    for (const key of /** @type {(keyof typeof total)[]} */ (Object.keys(total))) total[key] += report[key];
    console.log(
      `${out.padEnd(34)} ${basename(adapter).padEnd(28)} ${count(report.read).padStart(7)} rows → ${count(report.records).padStart(6)} records, ${count(report.raw).padStart(6)} raw, ${String(report.slices.length).padStart(3)} slices, ${seconds(at)}`,
    );
    /**
     * @param {Readonly<Record<string, number>>} of
     * @param {string} what
     */
    const reasons = (of, what) => {
      for (const [reason, times] of Object.entries(of)) console.log(`    ${what} ${count(times)}: ${reason}`);
    };
    reasons(report.rejectsByReason, "rejected");
    reasons(report.unusedByReason, "left out on purpose");
    if (report.duplicates > 0) console.log(`    there twice, the same: ${count(report.duplicates)}`);
    for (const { file, reason } of report.filesNotRead.filter(({ expected }) => !expected))
      console.log(`    not read: ${file}: ${reason}`);
  }
  console.log(
    `\n${count(total.read)} rows read: ${count(total.rejected)} rejected, ${count(total.unused)} left out on purpose; ${count(total.records)} records and ${count(total.raw)} raw items in ${dirs.length} slices, ${seconds(started)}`,
  );

  await install(dirs);
  await ask();
  console.log(`\nall in ${seconds(started)}`);
}

/**
 * Installs, and says how long each phase took, and what processor time and memory all of it.
 * @param {readonly string[]} dirs
 */
async function install(dirs) {
  const began = performance.now();
  const cpu = process.cpuUsage();
  /** @type {Map<string, number>} */
  const phases = new Map();
  let last = began;
  const installed = await installSlices(dirs, {
    lake: values.lake,
    onProgress: ({ phase }) => {
      const now = performance.now();
      if (!phases.has(phase)) process.stderr.write(`  ${phase}, after ${seconds(began)}\n`);
      phases.set(phase, (phases.get(phase) ?? 0) + now - last);
      last = now;
    },
  });
  const { user, system } = process.cpuUsage(cpu);
  const { records } = installed.total;
  const took = [...phases].map(([phase, ms]) => `${phase} ${(ms / 1000).toFixed(1)}`).join(", ");
  console.log(
    `installed as generation ${installed.generation} of ${values.lake}: ${count(records)} records, ${seconds(began)}, ${count(Math.round((1000 * records) / (performance.now() - began)))} a second; processor time ${((user + system) / 1e6).toFixed(1)} s, peak ${Math.round(process.resourceUsage().maxRSS / 1024)} MiB\n    seconds of phases: ${took}`,
  );
}

/** @returns {Promise<void>} */
async function ask() {
  const lake = await openLake(values.lake, { limits: "off" });
  try {
    for (const question of QUESTIONS) {
      const at = performance.now();
      const answer = await lake.search(
        /** @type {Parameters<typeof lake.search>[0]} */ ({ ...question, limit: 5 }),
      );
      console.log(`\n${JSON.stringify(question)}  ${(performance.now() - at).toFixed(0)} ms`);
      for (const record of answer.data) {
        const text = (record.title ?? record.text ?? record.review_sample?.[0] ?? "").replace(/\s+/g, " ");
        console.log(`  ${record.platform.padEnd(18)} ${record.lang.padEnd(4)} ${text.slice(0, 90)}`);
      }
    }
    const video = await lake.raw("short-video", "video", { item_id: VIDEO });
    const { text, author, metrics } = video.data ?? {};
    console.log(`\nraw short-video video ${VIDEO}: ${JSON.stringify({ text, author, metrics })}`);
    for (const [id, params] of COMMENTS) {
      const at = performance.now();
      let pages = 0;
      let total = 0;
      const cids = new Set();
      for await (const page of lake.pages(id, params)) {
        const { items, total: all } = /** @type {{ items: { cid: string }[]; total: number }} */ (page.data);
        pages++;
        total = all;
        for (const { cid } of items) cids.add(cid);
      }
      console.log(
        `${id} ${JSON.stringify(params)}: ${pages} pages, ${cids.size} distinct comments of ${total}, ${(performance.now() - at).toFixed(0)} ms`,
      );
    }
  } finally {
    await lake.close();
  }
}

main().catch((/** @type {unknown} */ error) => {
  console.error(error instanceof MirrorlakeError ? `${error.message}\n  ${error.remedy}` : error);
  process.exitCode = 1;
});
