// Fills the small disk that a copy of a lake is on, and says how the lake takes it: node full-disk-child.js <lake> <disk> <query>
import { closeSync, cpSync, openSync, readdirSync, rmSync, statfsSync, writeSync } from "node:fs";
import { join } from "node:path";
import { compactLake, diagnoseLake, installSlices, openLake, removeRecords, verifyLake } from "mirrorlake";
import { recordFetch } from "mirrorlake/testing";

const [from, disk, query] = /** @type {[string, string, string]} */ (
  /** @type {unknown} */ (process.argv.slice(2))
);
const path = join(disk, "lake");
const ballast = join(disk, "ballast");
cpSync(from, path, { recursive: true });
rmSync(join(path, "account"), { recursive: true, force: true });

function fill() {
  const file = openSync(ballast, "w");
  try {
    while (statfsSync(disk).bavail > 0) writeSync(file, Buffer.alloc(4096));
  } finally {
    closeSync(file);
  }
}

/** @param {() => Promise<unknown>} work */
async function outcome(work) {
  try {
    await work();
    return "answered";
  } catch (error) {
    const { code, remedy } = /** @type {any} */ (error);
    return /is full/.test(remedy) ? `${code}: the disk is full` : code;
  }
}

fill();
/** @type {string[]} */
const opened = [];
const lake = await openLake(path, { onNotice: (message) => opened.push(message) });
const { data } = await lake.search({ query });
const [row] = await lake.sql("SELECT count(*) AS n FROM records");
const exported = [];
for (const format of /** @type {const} */ (["parquet", "csv", "jsonl", "arrow"]))
  exported.push(await outcome(() => lake.export(join(disk, `out.${format}`), { format })));
await lake.close();
const options = { lake: path, threads: 1 };
const installed = await outcome(() => installSlices([join(path, "slices")], { ...options, rebuild: true }));
const compacted = await outcome(() => compactLake({ ...options, refit: true }));
const target = /** @type {const} */ ({ kind: "record", id: String(data[0]?.id) });
const removed = await outcome(() => removeRecords([target], { lake: path, reason: "test" }));
process.env.TMPDIR = disk;
const verified = await outcome(async () => {
  const { problems } = await verifyLake(path, { recall: false });
  if (problems.length > 0) throw problems[0];
});
delete process.env.TMPDIR;
const recorded = await outcome(() => recordFetch({ cassette: join(disk, "calls.jsonl"), fetch }));
rmSync(join(disk, "calls.jsonl"), { force: true });
const leftovers = readdirSync(disk, { recursive: true }).filter((name) =>
  /(^|\/)\.|\.part$/.test(String(name)),
);
rmSync(ballast);

const own = await openLake(path);
await own.search({ query });
fill();
const began = performance.now();
const charged = await outcome(() => own.search({ query }));
const chargedInMs = performance.now() - began < 5000;
const { findings } = await diagnoseLake(path);
rmSync(ballast);
const chargedAgain = await outcome(() => own.search({ query }));
await own.close();

process.stdout.write(
  JSON.stringify({
    opened,
    found: data.length > 0,
    counted: Number(row?.n) > 0,
    exported,
    installed,
    compacted,
    removed,
    verified,
    recorded,
    leftovers,
    charged,
    chargedInMs,
    chargedAgain,
    doctor: findings.find(({ code }) => code === "disk_space")?.code,
  }),
);
