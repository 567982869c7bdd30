import { resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Command } from "commander";
import { UsageError } from "../../contract/errors.js";
import { formatUsd } from "../../contract/money.js";
import { didYouMean, nearestName } from "../../contract/nearest-name.js";
import { counted } from "../../contract/quantity.js";
import {
  CATALOGUE_FILE_VERSION,
  type CatalogueFile,
} from "../../contract/service/catalogue-file/catalogue-file.js";
import type { EndpointSpec } from "../../contract/service/endpoint.js";
import { shown } from "../../contract/shown-value.js";
import type { CatalogueExtension } from "../../lake/lake-catalogue.js";
import { type CliContext, printJson } from "../context.js";
import { formatTable } from "../format/format-table.js";
import { style } from "../format/terminal-style.js";
import { clickHouseLake, examples, jsonOption, lakeOption, lakePath } from "../options.js";

interface CatalogueOptions {
  readonly lake?: string;
  readonly json?: boolean;
}

/** Registers `catalogue list | check | import`: the endpoints of the service, and files that extend the list. */
export function registerCatalogue(program: Command, context: CliContext): void {
  const catalogue = program
    .command("catalogue")
    .description("List the endpoints; check and import files that extend or replace them.");
  registerList(catalogue, context);
  registerCheck(catalogue, context);
  registerImport(catalogue, context);
}

function registerList(catalogue: Command, context: CliContext): void {
  const command = catalogue
    .command("list")
    .description("List the endpoints: path, price, cap, label. With --lake, the endpoints of a lake.")
    .option("--group <name>", "only endpoints of this group");
  lakeOption(jsonOption(command));
  examples(command, [
    "catalogue list",
    "catalogue list --group microblog",
    "catalogue list --json > rows.json",
  ]);
  command.action(async (options: CatalogueOptions & { readonly group?: string }) => {
    const all = await endpointsOf(options, context);
    const rows = options.group === undefined ? all : ofGroup(options.group, all);
    if (options.json) {
      const { toFileRow } = await import("../../contract/service/catalogue-file/to-row.js");
      return printJson(context, { catalogue: CATALOGUE_FILE_VERSION, endpoints: rows.map(toFileRow) });
    }
    const { out } = context;
    out.write(table(rows, out.columns));
    const groups = new Set(rows.map(({ group }) => group)).size;
    out.write(style(out, "dim", `${counted(rows.length, "endpoint")} in ${counted(groups, "group")}\n`));
  });
}

/** @throws UsageError `unknown_group`, with the name that was probably meant */
function ofGroup(name: string, all: readonly EndpointSpec[]): readonly EndpointSpec[] {
  const rows = all.filter(({ group }) => group === name);
  if (rows.length > 0) return rows;
  const groups = [...new Set(all.map(({ group }) => group))];
  throw new UsageError(
    "unknown_group",
    `no endpoint is of the group ${shown(name)}${didYouMean(nearestName(name, groups))}`,
    {
      value: name,
      remedy: `name one of ${groups.join(", ")}`,
    },
  );
}

function registerCheck(catalogue: Command, context: CliContext): void {
  const command = catalogue
    .command("check")
    .description(
      "Show the changes that a catalogue file or OpenAPI document would make, without making them.",
    )
    .argument("<file>", "catalogue file, or OpenAPI 3.0 or 3.1 document, as JSON");
  lakeOption(jsonOption(command));
  examples(command, ["catalogue check my-rows.json", "catalogue check openapi.json --lake ./lake --json"]);
  command.action(async (path: string, options: CatalogueOptions) => {
    const base = await endpointsOf(options, context);
    const { file, notes } = await readEither(path, base, context);
    if (options.lake !== undefined) {
      const { planCatalogue } = await import("../../lake/lake-catalogue.js");
      return report(
        await changesOf(await planCatalogue(lakePath(options, context), file)),
        notes,
        options,
        context,
      );
    }
    const { loadCatalogue } = await import("../../contract/service/catalogue-file/load-catalogue.js");
    const after = loadCatalogue([file], base);
    report(await changesOf({ before: base, after, removed: [] }), notes, options, context);
  });
}

function registerImport(catalogue: Command, context: CliContext): void {
  const command = catalogue
    .command("import")
    .description(
      "Add rows from the remote's OpenAPI document or a catalogue file to a lake, or write them to a file.",
    )
    .argument("<file>", "OpenAPI 3.0 or 3.1 document, or catalogue file, as JSON")
    .option("--out <file>", "write a catalogue file instead of changing a lake");
  lakeOption(jsonOption(command));
  examples(command, [
    "catalogue import openapi.json --lake ./lake",
    "catalogue import openapi.json --out my-rows.json",
  ]);
  command.addHelpText(
    "after",
    "\nRows of the service specification do not change. Rows of a lake's catalogue file are replaced if the new file" +
      "\nnames them, and stay otherwise.",
  );
  command.action(async (path: string, options: CatalogueOptions & { readonly out?: string }) => {
    const { CATALOGUE } = await import("../../contract/service/catalogue.js");
    const { loadCatalogue } = await import("../../contract/service/catalogue-file/load-catalogue.js");
    const lakeFiles = await import("../../lake/lake-catalogue.js");
    if (options.out !== undefined) {
      const { file, notes } = await readEither(path, CATALOGUE, context);
      const rows = loadCatalogue([file]);
      const lake = clickHouseLake(options, context) === undefined ? lakePath(options, context) : undefined;
      await lakeFiles.writeCatalogueFile(resolve(context.cwd, options.out), file, lake);
      const changes = await changesOf({ before: CATALOGUE, after: rows, removed: [] });
      return report(changes, notes, options, context);
    }
    const folder = lakePath(options, context);
    const { file, notes } = await readEither(path, await lakeFiles.endpointsBeforeImport(folder), context);
    const extension = await lakeFiles.extendCatalogue(folder, file);
    report(await changesOf(extension), notes, options, context);
  });
}

/** The endpoints of the named lake; without one, the shipped endpoints. */
async function endpointsOf(options: CatalogueOptions, context: CliContext): Promise<readonly EndpointSpec[]> {
  if (options.lake === undefined) return (await import("../../contract/service/catalogue.js")).CATALOGUE;
  const { lakeEndpoints } = await import("../../lake/lake-catalogue.js");
  return lakeEndpoints(lakePath(options, context));
}

/** Reads a catalogue file, or converts an OpenAPI document to one. */
async function readEither(
  path: string,
  base: readonly EndpointSpec[],
  context: CliContext,
): Promise<{ readonly file: CatalogueFile; readonly notes: readonly string[] }> {
  const [{ readJsonFile }, { catalogueFromOpenApi }, { parseCatalogueFile }] = await Promise.all([
    import("../../lake/lake-catalogue.js"),
    import("../../contract/service/catalogue-file/from-openapi.js"),
    import("../../contract/service/catalogue-file/load-catalogue.js"),
  ]);
  const json = await readJsonFile(resolve(context.cwd, path));
  const isCatalogue = typeof json === "object" && json !== null && "catalogue" in json;
  return isCatalogue ? { file: parseCatalogueFile(json), notes: [] } : catalogueFromOpenApi(json, base);
}

interface Changes {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  readonly total: number;
}

/** Ids of added, changed and removed rows. A row changes where its content does. */
async function changesOf({ before, after, removed }: CatalogueExtension): Promise<Changes> {
  const { toFileRow } = await import("../../contract/service/catalogue-file/to-row.js");
  const known = new Map(before.map((row) => [row.id, row]));
  const left = new Set(after.map(({ id }) => id));
  const contentOf = (row: EndpointSpec): unknown => JSON.parse(JSON.stringify(toFileRow(row)));
  const differs = (row: EndpointSpec) => {
    const old = known.get(row.id);
    return old !== undefined && old !== row && !isDeepStrictEqual(contentOf(old), contentOf(row));
  };
  const gone = before.filter(({ id }) => !left.has(id)).map(({ id }) => id);
  return {
    added: after.filter(({ id }) => !known.has(id)).map(({ id }) => id),
    changed: after.filter(differs).map(({ id }) => id),
    removed: [...new Set([...gone, ...removed])],
    total: after.length,
  };
}

function report(
  changes: Changes,
  notes: readonly string[],
  { json }: CatalogueOptions,
  context: CliContext,
): void {
  if (json) {
    printJson(context, { ...changes, notes });
    return;
  }
  const { out } = context;
  for (const [word, ids] of [
    ["new", changes.added],
    ["changed", changes.changed],
    ["removed", changes.removed],
  ] as const) {
    if (ids.length > 0) out.write(`${ids.length} ${word}: ${ids.join(", ")}\n`);
  }
  for (const note of notes) out.write(style(out, "dim", `note: ${note}\n`));
  out.write(`${counted(changes.total, "endpoint")} in all.\n`);
}

function table(rows: readonly EndpointSpec[], width: number): string {
  return formatTable(
    [
      { header: "id", grow: true },
      { header: "endpoint", grow: true },
      { header: "USD", align: "right" },
      { header: "per s", align: "right" },
      { header: "free" },
      { header: "label" },
    ],
    rows.map((row) => [
      row.id,
      `${row.method} ${row.path}`,
      formatUsd(row.price),
      String(row.capPerSecond),
      row.freeEligible ? "yes" : "",
      row.label,
    ]),
    width,
  );
}
