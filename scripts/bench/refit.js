/**
 * An install that refits a lake's embedder and keeps its rows and postings, beside a rebuild of all that the lake has then: seconds until
 * all can be searched and until the end, processor time and, in the end, what a search takes of each.
 * usage: node scripts/bench/refit.js <lake> <slices> <folder> [rounds, default 3]
 *   <lake>    a lake without the slices; it is copied
 *   <slices>  slices of more than a third of what it has, and of less than all
 *   <folder>  where all goes
 */
import { cp, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { built } from "../built.js";
import { compareSearches } from "./compare-searches.js";
import { median, timedInstall } from "./measure.js";

const { installSlices, openLake } = /** @type {typeof import("../../src/index.js")} */ (
  await built("index.js")
);

const [from, slices, folder, rounds = "3"] = process.argv.slice(2);
if (folder === undefined) throw new RangeError("usage: refit.js <lake> <slices> <folder> [rounds]");

await mkdir(folder, { recursive: true });
const [refitted, rebuilt] = [join(folder, "refitted"), join(folder, "rebuilt")];
const ways = [
  { name: "refit", run: (onProgress) => installSlices([slices], { lake: refitted, onProgress }) },
  { name: "rebuild", run: (onProgress) => installSlices([], { lake: rebuilt, rebuild: true, onProgress }) },
];
const numbers = () => /** @type {number[]} */ ([]);
const found = new Map(
  ways.map(({ name }) => [name, { searchable: numbers(), seconds: numbers(), processor: numbers() }]),
);
for (let round = 0; round < Number(rounds); round++) {
  await rm(refitted, { recursive: true, force: true });
  await cp(from, refitted, { recursive: true });
  for (const { name, run } of ways) {
    const start = performance.now();
    let published = 0;
    const { report, seconds, processor, parts } = await timedInstall((onProgress) =>
      run((event) => {
        if (event.phase === "publish" && event.done === 1) published ||= (performance.now() - start) / 1000;
        onProgress(event);
      }),
    );
    if (report.rebuild?.kind !== name) throw new RangeError(`${name}: the install was no such`);
    found.get(name)?.searchable.push(published);
    found.get(name)?.seconds.push(seconds);
    found.get(name)?.processor.push(processor);
    const said = ((report.rebuild.ms ?? 0) / 1000).toFixed(0);
    console.log(
      `${name} ${seconds.toFixed(1)} s (said ${said}), searchable after ${published.toFixed(1)} s, processor ${processor.toFixed(1)} s: ${parts.join(", ")}`,
    );
    if (name === "rebuild") continue;
    await rm(rebuilt, { recursive: true, force: true });
    await cp(refitted, rebuilt, { recursive: true });
  }
}
for (const [name, { searchable, seconds, processor }] of found)
  console.log(
    `${name}: median ${median(seconds).toFixed(1)} s, searchable after ${median(searchable).toFixed(1)} s, processor ${median(processor).toFixed(1)} s`,
  );
for (const { what, lakes } of await compareSearches(openLake, [refitted, rebuilt]))
  console.log(`${what} after the refit: ${lakes[0]}; after the rebuild: ${lakes[1]}`);
