import { readFile, writeFile } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { LakeError, UsageError } from "../contract/errors.js";
import { CATALOGUE } from "../contract/service/catalogue.js";
import type { CatalogueFile } from "../contract/service/catalogue-file/catalogue-file.js";
import { loadCatalogue, parseCatalogueFile } from "../contract/service/catalogue-file/load-catalogue.js";
import { mergeCatalogueFiles } from "../contract/service/catalogue-file/merge-files.js";
import type { EndpointSpec } from "../contract/service/endpoint.js";
import { replaceFileSynced } from "../files/durable-files.js";
import { replaceOutput } from "../files/replace-output.js";
import { writingTo } from "../files/writing-to.js";
import { lakePaths } from "./lake-paths.js";
import { type LakeSettings, readSettings } from "./settings.js";

/** Default name of a lake's catalogue file. */
export const CATALOGUE_FILE = "catalogue.json";

/**
 * Reads the JSON of a catalogue file or an OpenAPI document.
 * @throws UsageError `unreadable_file` for a file that cannot be read or is not JSON
 */
export async function readJsonFile(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch (cause) {
    throw new UsageError("unreadable_file", `Cannot read ${path}: ${(cause as Error).message}`, {
      value: path,
      remedy: "Name a file of JSON.",
      cause,
    });
  }
}

/**
 * Returns the catalogue of a lake: the built-in rows, extended by the file in its settings.
 * @throws LakeError `catalogue_outside_lake`
 * @throws UsageError `unreadable_file`, `invalid_catalogue`
 */
export async function catalogueOf(lake: string, settings: LakeSettings): Promise<readonly EndpointSpec[]> {
  const path = catalogueFilePath(lake, settings);
  return path === undefined ? CATALOGUE : loadCatalogue([await readJsonFile(path)]);
}

/**
 * Path of the catalogue file in a lake's settings, if any.
 * @throws LakeError `catalogue_outside_lake`
 */
export function catalogueFilePath(lake: string, { catalogue }: LakeSettings): string | undefined {
  if (catalogue === undefined) return undefined;
  const path = resolve(lake, catalogue);
  const within = relative(resolve(lake), path);
  if (isAbsolute(catalogue) || isAbsolute(within) || within.startsWith("..")) {
    throw new LakeError(
      "catalogue_outside_lake",
      `The lake's catalogue file is not in the lake: ${catalogue}`,
      {
        value: catalogue,
        remedy: `Put it into the lake; \`catalogue\` in mirrorlake.json is relative to the lake.`,
      },
    );
  }
  return path;
}

/**
 * Extends a lake's catalogue: checks the file, writes it into the lake, then refers to it in the settings.
 * Existing rows that the file does not redefine stay. The lake has the rows when it is next opened.
 * @returns the lake's catalogue
 * @throws UsageError `invalid_catalogue`: nothing was written
 */
export async function extendCatalogue(lake: string, file: CatalogueFile): Promise<readonly EndpointSpec[]> {
  const settings = await readSettings(lake);
  const path = catalogueFilePath(lake, settings);
  const own = path === undefined ? undefined : parseCatalogueFile(await readJsonFile(path));
  const merged = own === undefined ? file : mergeCatalogueFiles(own, file);
  const rows = loadCatalogue([merged]);
  await replaceFile(path ?? join(lake, CATALOGUE_FILE), merged);
  if (path === undefined) {
    await replaceFile(lakePaths(lake).settings, { ...settings, catalogue: CATALOGUE_FILE });
  }
  return rows;
}

/**
 * Replaces a catalogue file that a caller names, atomically.
 * @param lake folder of a lake, in which it may not be
 * @throws UsageError `unwritable_file`, `file_in_lake`
 */
export async function writeCatalogueFile(path: string, file: CatalogueFile, lake?: string): Promise<void> {
  await writingTo(dirname(path), () =>
    replaceOutput(path, (temporary) => writeFile(temporary, textOf(file)), { lake }),
  );
}

async function replaceFile(path: string, content: object): Promise<void> {
  const temporary = `${path}-${process.pid}.tmp`;
  await writingTo(dirname(path), () => replaceFileSynced(path, temporary, textOf(content)));
}

function textOf(content: object): string {
  return `${JSON.stringify(content, null, 2)}\n`;
}
