import { rmdir } from "node:fs/promises";
import { basename, dirname, join, normalize, relative, resolve } from "node:path";
import { performance } from "node:perf_hooks";
import type { Command } from "commander";
import { LakeError } from "../contract/errors.js";
import { counted, formatCount, formatDuration } from "../contract/quantity.js";
import { shellWord } from "../contract/shell-word.js";
import { type CliContext, printJson } from "./context.js";
import { DEMO_LAKE } from "./defaults.js";
import { DEMO_AUTHOR_SALT, DEMO_DATA, DEMO_SOURCES, DEMO_STEPS } from "./demo-sources.js";
import { formatTable } from "./format/format-table.js";
import { showInstall } from "./format/install-phases.js";
import { createProgress } from "./format/progress.js";
import { style } from "./format/terminal-style.js";
import { examples, jsonOption } from "./options.js";

interface DemoOptions {
  readonly lake: string;
  readonly json?: boolean;
}

/** Registers `demo`: builds a lake from the shipped data, then runs search, raw and slices calls on it. */
export function registerDemo(program: Command, context: CliContext): void {
  const command = program
    .command("demo")
    .description("Build a lake from the shipped data and query it, in under a minute.")
    .option("--lake <dir>", "folder of the new lake", DEMO_LAKE);
  jsonOption(command);
  examples(command, ["demo", "demo --lake /tmp/demo-lake --json"]);
  command.action(async ({ lake, json }: DemoOptions) => {
    const path = resolve(context.cwd, lake);
    const built = await buildDemoLake(path, context);
    if (json) return printJson(context, built);
    const { out } = context;
    const heading = (text: string) => out.write(`\n${style(out, "bold", text)}\n`);
    out.write("Mirrorlake: a public web-data API in this process, over downloaded datasets.\n");
    heading("Ingest: nine datasets, in the formats of their platforms");
    out.write(formatSources(built.sources, out.columns));
    heading("Install: one lake of all slices, searchable");
    out.write(
      `${counted(built.records, "record")}, ${counted(built.raw, "raw item")}, ${counted(built.slices, "slice")} in ${lake}, built in ${formatDuration(built.seconds * 1000)}\n`,
    );
    const at = relative(context.cwd, path) || ".";
    // The program loads only the called command; the steps need others.
    const { createProgram } = await import("./program.js");
    const steps = await createProgram(context, (name) => DEMO_STEPS.some(({ args }) => args[0] === name));
    for (const { title, args } of DEMO_STEPS) {
      heading(title);
      out.write(
        `${style(out, "cyan", `$ mirrorlake ${args.map(shellWord).join(" ")} --lake ${shellWord(at)}`)}\n`,
      );
      await steps.parseAsync([...args, "--lake", path], { from: "user" });
    }
    heading("Next");
    out.write(nextSteps(at));
  });
}

/** Counts of one ingested source. */
interface BuiltSource {
  readonly source: string;
  readonly adapter: string;
  readonly read: number;
  readonly records: number;
  readonly raw: number;
  readonly rejected: number;
  readonly slices: number;
}

interface BuiltLake {
  readonly lake: string;
  readonly generation: number;
  readonly sources: readonly BuiltSource[];
  readonly records: number;
  readonly raw: number;
  readonly slices: number;
  readonly seconds: number;
}

/** Ingests and installs the demo's data. Installing what is there already changes nothing, so it may be run again. */
async function buildDemoLake(lake: string, context: CliContext): Promise<BuiltLake> {
  const [{ makeFolder, unwritableFolder }, folders, { ingest }, { loadAdapter }, { installSlices }] =
    await Promise.all([
      import("../files/make-folder.js"),
      import("../files/temporary-folder.js"),
      import("../ingest/ingest.js"),
      import("../ingest/adapters/load-adapter.js"),
      import("../lake/install/install-slices.js"),
    ]);
  const { signal } = context;
  const progress = createProgress(context);
  const started = performance.now();
  const parent = dirname(lake);
  const made = await makeFolder(parent);
  const prefix = `${basename(lake)}-slices-`;
  const temporary = await folders
    .removeAbandonedFolders(parent, prefix)
    .then(() => folders.makeTemporaryFolder(parent, prefix))
    .catch((cause) => {
      throw unwritableFolder(lake, cause);
    });
  const slices = temporary.path;
  try {
    const sources: BuiltSource[] = [];
    const dirs: string[] = [];
    for (const { folder, adapter: name, capturedAt, info } of DEMO_SOURCES) {
      progress.update("ingest", sources.length, DEMO_SOURCES.length, folder);
      const adapter = await loadAdapter(name.endsWith(".json") ? join(DEMO_DATA, name) : name);
      const report = await ingest([join(DEMO_DATA, folder)], {
        adapter: { ...adapter, info: { ...adapter.info, ...info } },
        out: join(slices, folder),
        authorSalt: DEMO_AUTHOR_SALT,
        signal,
        capturedAt,
      });
      dirs.push(...report.slices.map((slice) => slice.dir));
      const { read, records, raw, rejected } = report;
      sources.push({
        source: folder,
        adapter: name,
        read,
        records,
        raw,
        rejected,
        slices: report.slices.length,
      });
    }
    await refuseOtherSlices(lake, dirs);
    const installed = await installSlices(dirs, {
      lake,
      signal,
      onProgress: showInstall(progress),
    });
    const sum = (key: "records" | "raw" | "slices") =>
      sources.reduce((total, source) => total + source[key], 0);
    return {
      lake,
      generation: installed.generation,
      sources,
      records: sum("records"),
      raw: sum("raw"),
      slices: sum("slices"),
      seconds: (performance.now() - started) / 1000,
    };
  } finally {
    progress.end();
    await temporary.remove();
    // After a failure the created parent folder is removed too; rmdir keeps a folder that is not empty.
    if (made !== undefined) await rmdir(parent).catch(() => {});
  }
}

/**
 * Refuses a lake that holds other slices than the demo's: an install cannot be undone. The demo's own folder may hold those of an earlier
 * version.
 * @throws LakeError `lake_exists`
 */
async function refuseOtherSlices(lake: string, dirs: readonly string[]): Promise<void> {
  const { sliceRoots } = await import("../lake/missing-current.js");
  const own = new Set(dirs.map((dir) => basename(dir)));
  const held = await sliceRoots(lake);
  if (held.every((root) => own.has(root)) || lake.endsWith(normalize(DEMO_LAKE))) return;
  throw new LakeError("lake_exists", `The lake at ${lake} holds other slices than the demo's`, {
    value: lake,
    remedy: "name a new folder: what the demo installs cannot be taken out again",
  });
}

function formatSources(sources: readonly BuiltSource[], width: number): string {
  return formatTable(
    [
      { header: "source", grow: true },
      { header: "adapter", grow: true },
      { header: "rows", align: "right" },
      { header: "records", align: "right" },
      { header: "raw items", align: "right" },
      { header: "rejected", align: "right" },
      { header: "slices", align: "right" },
    ],
    sources.map(({ source, adapter, read, records, raw, rejected, slices }) => [
      source,
      adapter,
      ...[read, records, raw, rejected, slices].map(formatCount),
    ]),
    width,
  );
}

function nextSteps(lake: string): string {
  return [
    `  npx mirrorlake search "kopi" --freshness 30d --lake ${shellWord(lake)}`,
    `  npx mirrorlake raw short-video comments --item-id 7400000000000000123 --all --json --lake ${shellWord(lake)}`,
    "  npx mirrorlake ingest --help      your own data: an adapter, or a mapping file",
    "  npx mirrorlake --help             every command; the README shows how to use the library from a program",
    "",
    "All of it in a browser, in the web console, whose address this prints:",
    `  npx mirrorlake serve --lake ${shellWord(lake)}`,
    "",
  ].join("\n");
}
