/**
 * Many small installs into a real lake, one after another: seconds of each until what came can be searched, and until the end, with processor
 * time, and what a search takes afterwards beside the same lake in one segment.
 * usage: node scripts/bench/small-installs.js <lake> <slices> <folder> [installs, default 24] [records of each, default 100]
 *   <lake>    a lake without the slices; it is copied
 *   <slices>  slices whose records come in small parts
 *   <folder>  where all goes; parts that are there from before are used again
 * `MIRRORLAKE_DIST` names another build, to compare with.
 */
import { cp, mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { built } from "../built.js";
import { compareSearches } from "./compare-searches.js";
import { median } from "./measure.js";

const other = process.env.MIRRORLAKE_DIST;
const { compactLake, installSlices, openLake, writeSlices } =
  /** @type {typeof import("../../src/index.js")} */ (
    other === undefined
      ? await built("index.js")
      : await import(pathToFileURL(resolve(other, "index.js")).href)
  );

const [from, slices, folder, installs = "24", each = "100"] = process.argv.slice(2);
if (folder === undefined)
  throw new RangeError("usage: small-installs.js <lake> <slices> <folder> [installs] [records of each]");
const parts = join(folder, "parts");
const lake = join(folder, "lake");

/** Cuts the slices' records into as many parts, evenly spaced. */
async function cut() {
  const whole = join(folder, "whole");
  await rm(whole, { recursive: true, force: true });
  await installSlices([slices], { lake: whole });
  const client = await openLake(whole, { limits: "off", account: "memory" });
  const { corpus } = client.lake;
  const platforms = corpus.platforms().map(({ slug, domain, code, name }) => ({ slug, domain, code, name }));
  const rows = [...corpus.match({}).rows()];
  const count = Number(installs);
  for (let i = 0; i < count; i++) {
    const records = await corpus.records(rows.filter((_, j) => j % count === i).slice(0, Number(each)));
    const items = async function* () {
      yield records.map((record) => ({ kind: /** @type {const} */ ("record"), record }));
    };
    const info = { title: `Part ${i}`, licence: "see the source collections", platforms };
    await writeSlices(items(), { out: join(parts, String(i).padStart(4, "0")), info });
  }
  await client.close();
}

async function sizes() {
  const current = (await readFile(join(lake, "CURRENT"), "utf8")).trim();
  const { segments } = JSON.parse(
    await readFile(join(lake, "generations", current, "generation.json"), "utf8"),
  );
  return segments.map(({ records }) => records);
}

await mkdir(folder, { recursive: true });
if (!(await readdir(folder)).includes("parts")) await cut();
await rm(lake, { recursive: true, force: true });
await cp(from, lake, { recursive: true });
console.log(`before: ${(await sizes()).join(", ")} records`);
const searchable = [];
const seconds = [];
const processor = [];
for (const part of (await readdir(parts)).sort()) {
  const cpu = process.cpuUsage();
  const start = performance.now();
  /** @type {number | undefined} */
  let published;
  const { change } = await installSlices([join(parts, part)], {
    lake,
    onProgress: ({ phase, done }) => {
      if (phase === "publish" && done === 1) published ??= (performance.now() - start) / 1000;
    },
  });
  const took = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const worked = (user + system) / 1e6;
  searchable.push(published ?? took);
  seconds.push(took);
  processor.push(worked);
  const left = (await sizes()).join(", ");
  console.log(
    `${part} ${change} ${took.toFixed(2)} s, searchable after ${searchable.at(-1)?.toFixed(2)} s, processor ${worked.toFixed(2)} s: ${left}`,
  );
}
for (const [name, values] of Object.entries({ searchable, seconds, processor })) {
  const sum = values.reduce((total, value) => total + value, 0).toFixed(1);
  const longest = Math.max(...values).toFixed(2);
  console.log(`${name}: ${sum} in all, median ${median(values).toFixed(2)}, longest ${longest}`);
}
const one = join(folder, "one");
await rm(one, { recursive: true, force: true });
await cp(lake, one, { recursive: true });
await compactLake({ lake: one });
for (const { what, lakes } of await compareSearches(openLake, [lake, one]))
  console.log(`${what} of the lake: ${lakes[0]}; in one segment: ${lakes[1]}`);
