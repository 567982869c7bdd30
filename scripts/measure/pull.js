/**
 * Measures publishing and pulling of a lake that `npm run real-lake` built: publish, pull over HTTP from `serve`, pull from
 * the folder, sync from a lock file. Fails where roots or answers differ from those of the lake.
 *
 *   npm run task pull -- [--lake .mirrorlake/real] [--work .mirrorlake/pull]
 */
import assert from "node:assert/strict";
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import {
  openLake,
  publishSlices,
  pullSlices,
  sliceFiles,
  startServer,
  syncLake,
  systemEnvironment,
  writeLockFile,
} from "mirrorlake";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const { values } = parseArgs({
  options: {
    lake: { type: "string", default: join(ROOT, ".mirrorlake/real") },
    work: { type: "string", default: join(ROOT, ".mirrorlake/pull") },
  },
});

/** What the lakes are asked: every domain, several languages, raw pages. */
const QUERIES = [
  "手机",
  "wireless mouse",
  "charger hp fast charging",
  "aceite de oliva virgen extra",
  "president trump immigration policy",
  "banjir jakarta",
  "boundary layer heat transfer",
  "solana program derived address",
];

const RAW = /** @type {const} */ ([
  ["raw.short-video.comments", { item_id: "6993829555089706245", count: 50 }],
  ["raw.microblog.comments", { post_id: "znZC2x4vF", count: 50 }],
]);

/** @returns {Promise<void>} */
async function main() {
  const { lake, work } = values;
  await rm(work, { recursive: true, force: true });
  const out = join(work, "public");
  const published = await timed("publish", () => publishSlices([lake], { out }));
  const { slices, bytes } = published.total;
  console.log(
    `  ${slices} slices, ${megabytes(bytes)}; lake's generation ${megabytes(await sizeOf(join(lake, "generations")))}`,
  );
  const expected = await answersOf(lake);

  const source = await openLake(lake, { account: "memory" });
  const server = await startServer(source.service, { files: sliceFiles(source) });
  const pulled = join(work, "over-http");
  let downloaded = 0;
  const began = performance.now();
  const report = await timed("pull over HTTP, install included", () =>
    pullSlices(server.url, {
      lake: pulled,
      key: source.apiKey,
      environment: systemEnvironment,
      onProgress: ({ phase }) => {
        if (phase === "install" && downloaded === 0) downloaded = performance.now() - began;
      },
    }),
  );
  console.log(
    `  ${megabytes(report.bytesFetched)} in ${(downloaded / 1000).toFixed(2)} s: ${megabytes((report.bytesFetched / downloaded) * 1000)}/s, hashed and synced`,
  );
  await server.close();
  await source.close();
  assert.equal(report.bytesFetched, bytes, "every byte came once");
  assert.equal(await answersOf(pulled), expected, "answers of the pulled lake");

  const copied = join(work, "from-folder");
  await timed("pull from the folder, install included", () => pullSlices(out, { lake: copied }));
  assert.equal(await answersOf(copied), expected, "answers of the lake from the folder");

  const lockFile = join(work, "mirrorlake.lock.json");
  await writeLockFile(lockFile, copied, new Map(published.slices.map(({ root }) => [root, out])));
  const again = join(work, "again");
  const synced = await timed("sync from the lock file", () => syncLake({ lake: again, lockFile }));
  assert.equal(synced.missing, slices);
  assert.deepEqual(await rootsOf(again), await rootsOf(lake), "roots");
  console.log(
    `roots and answers to ${QUERIES.length} searches and ${RAW.length} raw pages are equal; peak ${Math.round(process.resourceUsage().maxRSS / 1024)} MiB`,
  );
}

/**
 * Everything but ids of requests and what the calls cost.
 * @param {string} path
 * @returns {Promise<string>}
 */
async function answersOf(path) {
  const lake = await openLake(path, { limits: "off", account: "memory" });
  try {
    /** @type {unknown[]} */
    const answers = [];
    for (const query of QUERIES)
      answers.push((await lake.search({ query, freshness: "90d", limit: 50 })).data);
    for (const [id, params] of RAW) answers.push((await lake.call(id, params)).data);
    answers.push((await lake.slices({ limit: 100 })).data);
    return JSON.stringify(answers, (_key, value) => (value instanceof Float32Array ? [...value] : value));
  } finally {
    await lake.close();
  }
}

/**
 * @param {string} lake
 * @returns {Promise<string[]>}
 */
async function rootsOf(lake) {
  return (await readdir(join(lake, "slices"))).toSorted();
}

/**
 * @param {string} dir
 * @returns {Promise<number>}
 */
async function sizeOf(dir) {
  let sum = 0;
  for (const name of await readdir(dir, { recursive: true })) {
    const stats = await stat(join(dir, name));
    if (stats.isFile()) sum += stats.size;
  }
  return sum;
}

/**
 * @template T
 * @param {string} what
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
async function timed(what, work) {
  const began = performance.now();
  const done = await work();
  console.log(`${what}: ${((performance.now() - began) / 1000).toFixed(2)} s`);
  return done;
}

/** @param {number} bytes */
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;

main().catch((/** @type {unknown} */ error) => {
  console.error(error);
  process.exitCode = 1;
});
