import { existsSync } from "node:fs";
import { cp, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { ingest, installSlices, loadAdapter, MirrorlakeError, openLake } from "mirrorlake";
import { generate } from "../measure/million/generate.js";
import { MAPPING } from "../measure/million/mapping.js";

/** Where lakes for the walk are kept: they are made once. */
const FOLDER = ".mirrorlake/console-walk";

/**
 * A copy of a lake for the walk, which writes to it (keys, top-ups): with generated records besides (those of `npm run task million`),
 * until it has as many as wanted. With 0 records it is as it was.
 * @param {string} from
 * @param {number} records
 * @param {string} data
 * @returns {Promise<string>}
 */
export async function lakeOfTheWalk(from, records, data) {
  const path = resolve(FOLDER, `${basename(resolve(from))}-${records}`);
  if (records > 0 && existsSync(path) && (await recordsOf(path)) === records) return path;
  await rm(path, { recursive: true, force: true });
  const part = `${path}.part`;
  await rm(part, { recursive: true, force: true });
  await mkdir(part, { recursive: true });
  const lake = join(part, "lake");
  await cp(from, lake, { recursive: true });
  const held = await recordsOf(lake);
  if (records > held) await add(records - held, lake, part, data);
  else if (records > 0 && records < held) throw new Error(`${from} has ${held} records, not ${records}`);
  await rename(lake, path);
  await rm(part, { recursive: true });
  return path;
}

/**
 * @param {number} records
 * @param {string} lake
 * @param {string} folder
 * @param {string} data
 * @returns {Promise<void>}
 */
async function add(records, lake, folder, data) {
  console.log(`adding ${records} generated records to a copy of the lake`);
  const mapping = join(folder, "mapping.json");
  await writeFile(mapping, JSON.stringify(MAPPING));
  await generate(records, data, join(folder, "input"));
  const { slices } = await ingest([join(folder, "input")], {
    adapter: await loadAdapter(mapping),
    out: join(folder, "slices"),
    authorSalt: "million",
  });
  await installSlices(
    slices.map(({ dir }) => dir),
    { lake },
  );
}

/**
 * Counts the records of a copy. What an earlier version of the product built of the slices is rebuilt.
 * @param {string} path
 * @returns {Promise<number>}
 */
async function recordsOf(path) {
  const options = /** @type {const} */ ({ account: "memory", readOnly: true });
  const lake = await openLake(path, options).catch(async (/** @type {unknown} */ error) => {
    if (!(error instanceof MirrorlakeError) || error.code !== "generation_invalid") throw error;
    await installSlices([], { lake: path, rebuild: true });
    return openLake(path, options);
  });
  try {
    const [row] = await lake.sql("SELECT count(*)::INTEGER AS n FROM records");
    return Number(row?.n);
  } finally {
    await lake.close();
  }
}
