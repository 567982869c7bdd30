/** Measures a lake that is there, as it is: `npm run bench -- --lake DIR`. */
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { median } from "./measure.js";
import { runStep } from "./run-step.js";

const here = fileURLToPath(new URL("./", import.meta.url));
/** Opens, each in a process of its own. */
const OPENS = 7;
/** LanceDB is tried with a part of the questions. */
const TRIED = 3;
/** Files that are named, and the rest by folder. */
const NAMED = 1e6;

/** Bytes of each large file of the current generation, the sum, and that of the slices. */
async function sizes(lake) {
  const current = (await readFile(join(lake, "CURRENT"), "utf8")).trim();
  const generation = join(lake, "generations", current);
  const files = await filesOf(generation);
  const named = files.filter(({ size }) => size >= NAMED).sort((a, b) => b.size - a.size);
  const sum = (list) => list.reduce((total, { size }) => total + size, 0) / 1e6;
  return {
    "generation MB": sum(files),
    "slices MB": sum(await filesOf(join(lake, "slices"))),
    ...Object.fromEntries(named.map(({ path, size }) => [relative(generation, path), size / 1e6])),
    "other files": sum(files.filter(({ size }) => size < NAMED)),
  };
}

async function filesOf(dir) {
  const files = [];
  for (const entry of await readdir(dir, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    files.push({ path, size: (await stat(path)).size });
  }
  return files;
}

/** The setting of LanceDB that finds .98 of the ten nearest first, else its best. */
async function bestOfLance(run, say) {
  const { lance } = await import("./peers/lancedb.js");
  const tried = [];
  for (const setting of lance.settings) {
    const found = await run("lancedb-search", { ...setting, every: TRIED });
    tried.push(found);
    say(
      `  lancedb ${JSON.stringify(setting)}: recall@10 ${found["recall@10"].toFixed(4)}, hybrid ${found.hybrid.p50.toFixed(2)} ms`,
    );
    if (found["recall@10"] >= 0.98) break;
  }
  const best = tried.reduce((a, b) => (b["recall@10"] > a["recall@10"] ? b : a));
  const { every, ...setting } = best.setting;
  return { setting, tried };
}

/**
 * Measures a lake: sizes, times to open, searches by questions that people wrote, recall by language and segment beside what is
 * certified, and LanceDB over the same vectors where `engines` names it. `quick`: hybrid searches of ours alone.
 * @param {{ lake: string, folder?: string, runs: number, engines: readonly string[], quick: boolean, say: (text: string) => void }} options
 */
export async function measureLake({ lake: given, folder: kept, runs, engines, quick, say }) {
  const lake = resolve(given);
  const folder = kept ?? (await mkdtemp(join(tmpdir(), "mirrorlake-bench-")));
  await mkdir(folder, { recursive: true });
  const run = (step, setting = {}) =>
    runStep(join(here, "lake-run.js"), [step, lake, folder, JSON.stringify(setting)]);
  try {
    say("questions, and their exact neighbours");
    await run("questions");
    const lance = !quick && engines.includes("lancedb");
    const report = { load: loadavg().map((load) => Number(load.toFixed(1))), sizes: await sizes(lake) };
    if (lance && !existsSync(join(folder, "lancedb"))) {
      say("lancedb: building");
      report.lancedbBuild = await run("lancedb-build");
    }
    const peer = lance ? await bestOfLance(run, say) : undefined;
    const opens = [];
    for (let i = 0; i < OPENS; i += 1) opens.push(await run("open"));
    report.open = Object.fromEntries(
      Object.keys(opens[0]).map((key) => [key, median(opens.map((o) => o[key]))]),
    );
    const ours = [];
    const theirs = [];
    for (let i = 0; i < runs; i += 1) {
      say(`run ${i + 1}`);
      ours.push(await run("search", { quick }));
      if (peer !== undefined) theirs.push(await run("lancedb-search", peer.setting));
    }
    report.search = middle(ours);
    if (peer !== undefined) {
      report.lancedb = middle(theirs);
      report.ratio = report.search.timed.hybrid.p50 / report.lancedb.hybrid.p50;
    }
    if (!quick) report.worst = worst(report.search.groups);
    return report;
  } finally {
    if (kept === undefined) await rm(folder, { recursive: true, force: true });
  }
}

/** Figure by figure, the median of several runs of one shape. */
function middle(runs) {
  const [first] = runs;
  if (typeof first === "number") return median(runs);
  if (typeof first !== "object" || first === null) return first;
  if (Array.isArray(first)) return first.map((_, i) => middle(runs.map((run) => run[i])));
  return Object.fromEntries(Object.keys(first).map((key) => [key, middle(runs.map((run) => run[key]))]));
}

/** The groups that are worst off. */
function worst(groups) {
  const names = Object.keys(groups);
  const by = (figure) => names.reduce((a, b) => (figure(groups[b]) > figure(groups[a]) ? b : a));
  const [r10, r100, time] = [
    by((g) => -g["recall@10"]),
    by((g) => -g["recall@100"]),
    by((g) => g.hybrid.p50),
  ];
  return {
    "recall@10": { group: r10, value: groups[r10]["recall@10"] },
    "recall@100": { group: r100, value: groups[r100]["recall@100"] },
    "hybrid p50": { group: time, value: groups[time].hybrid.p50 },
  };
}

/** A report as lines: figures of a kind in a row, p50 / p99 of times. */
export function lakeLines(report) {
  const lines = [];
  const show = (value) => {
    if (typeof value === "number")
      return Number.isInteger(value) ? String(value) : value.toFixed(value < 10 ? 3 : 1);
    if (typeof value !== "object") return String(value);
    if (Array.isArray(value)) return value.map(show).join(", ");
    if ("p50" in value) {
      const { p50, p99, ...others } = value;
      const rest = Object.keys(others).length === 0 ? "" : `; ${show(others)}`;
      return `${p50.toFixed(2)} / ${p99.toFixed(2)} ms${rest}`;
    }
    return Object.entries(value)
      .map(([name, inner]) => `${name} ${show(inner)}`)
      .join("; ");
  };
  const write = (part, indent) => {
    for (const [name, value] of Object.entries(part)) {
      const nested = typeof value === "object" && !Array.isArray(value) && !("p50" in value);
      const deep =
        nested && Object.values(value).some((inner) => typeof inner === "object" && !("hybrid" in value));
      if (deep || name === "sizes") {
        lines.push(`${indent}${name}`);
        write(value, `${indent}  `);
      } else lines.push(`${indent}${name}: ${show(value)}`);
    }
  };
  write(report, "");
  return lines;
}
