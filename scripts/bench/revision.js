/**
 * An install of a revision in which one record is another, beside a rebuild of the lake: seconds and processor time, in all and by phase.
 * usage: node scripts/bench/revision.js <lake> <platform> <language> <folder> [rounds, default 3]
 *   <lake>      a lake; it is copied
 *   <platform>  of the slice that is revised, with <language>: of its records one is changed, all else stays
 *   <folder>    where all goes
 */
import { cp, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { built } from "../built.js";
import { median, timedInstall } from "./measure.js";

const { installSlices, openLake, writeSlices } = /** @type {typeof import("../../src/index.js")} */ (
  await built("index.js")
);
const { recordHash } = /** @type {typeof import("../../src/slice/record-hash.js")} */ (
  await built("slice/record-hash.js")
);

const [from, platform, lang, folder, rounds = "3"] = process.argv.slice(2);
if (folder === undefined)
  throw new RangeError("usage: revision.js <lake> <platform> <language> <folder> [rounds]");

/** The records and raw items that a lake shows of the slice, the first record with another text. */
async function* revisedItems(corpus) {
  const [changed, ...others] = await corpus.records([
    ...corpus.match({ platforms: [platform], langs: [lang] }).rows(),
  ]);
  const { prov, ...facts } = { ...changed, text: `${changed.text ?? ""} (revised)` };
  const revised = { ...facts, prov: { ...prov, hash: recordHash(facts) } };
  yield [revised, ...others].map((record) => ({ kind: /** @type {const} */ ("record"), record }));
  for (let offset = 0; ; offset += 1_000) {
    const { items } = await corpus.rawPage({ platform, lang, orderBy: "id", offset, limit: 1_000 });
    if (items.length === 0) return;
    yield items.map((raw) => ({ kind: /** @type {const} */ ("raw"), raw }));
  }
}

await mkdir(folder, { recursive: true });
const out = join(folder, "revision");
const client = await openLake(from, { account: "memory", limits: "off", readOnly: true });
const { corpus } = client.lake;
const revises = corpus
  .slices({ offset: 0, limit: 1_000 })
  .manifests.filter(({ mirrorlake: { filter } }) => filter.platform === platform && filter.lang === lang);
const info = {
  title: "Revision",
  licence: "none",
  platforms: revises.map(({ mirrorlake }) => mirrorlake.platform).slice(0, 1),
};
const [slice] = await writeSlices(revisedItems(corpus), { out, info, revises, hashes: "keep" });
await client.close();
if (slice === undefined) throw new RangeError(`No slice of ${platform} in ${lang}`);
console.log(`a revision of ${JSON.stringify(slice.manifest.mirrorlake.counts)}`);

const lake = join(folder, "lake");
const found = new Map(["revision", "rebuild"].map((name) => [name, /** @type {number[]} */ ([])]));
for (let round = 0; round < Number(rounds); round++) {
  await rm(lake, { recursive: true, force: true });
  await cp(from, lake, { recursive: true });
  for (const [name, processor] of found) {
    const rebuild = name === "rebuild";
    const timed = await timedInstall((onProgress) =>
      installSlices(rebuild ? [] : [out], { lake, rebuild, onProgress }),
    );
    const { change } = timed.report;
    processor.push(timed.processor);
    console.log(
      `${name} (${change}) ${timed.seconds.toFixed(1)} s, processor ${timed.processor.toFixed(1)} s: ${timed.parts.join(", ")}`,
    );
  }
}
for (const [name, processor] of found)
  console.log(`${name}: median of processor time ${median(processor).toFixed(1)} s`);
