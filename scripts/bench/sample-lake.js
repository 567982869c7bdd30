/**
 * Makes a small lake of evenly spaced records of a large one, for `lake-run.js`.
 * usage: node scripts/bench/sample-lake.js <lake> <new lake> <number of records>
 */
import { built } from "../built.js";

const { createLake, openLake } = /** @type {typeof import("../../src/index.js")} */ (await built("index.js"));

const BATCH = 500;
const [lake, out, number] = process.argv.slice(2);
const wanted = Number(number);
if (lake === undefined || out === undefined || !Number.isInteger(wanted) || wanted < 1)
  throw new RangeError("usage: sample-lake.js <lake> <new lake> <number of records>");

const client = await openLake(lake, { limits: "off", account: "memory" });
const { corpus } = client.lake;
const all = [...corpus.match({}).rows()];
const count = Math.min(wanted, all.length);
const rows = Array.from({ length: count }, (_, i) => all[Math.floor((i * all.length) / count)]);
const platforms = corpus.platforms().map(({ slug, domain, code, name }) => ({ slug, domain, code, name }));
const records = [];
for (let first = 0; first < count; first += BATCH)
  records.push(...(await corpus.records(rows.slice(first, first + BATCH))));
await client.close();
await createLake(out, records, { platforms });
console.log(`${count} of ${all.length} records: ${out}`);
