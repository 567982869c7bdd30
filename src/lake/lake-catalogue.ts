import { readFile, writeFile } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { LakeError, UsageError } from "../contract/errors.js";
import { isOwnPlatformRow, withOwnPlatforms } from "../contract/service/catalogue/own-platform-rows.js";
import { CATALOGUE } from "../contract/service/catalogue.js";
import {
  CATALOGUE_FILE_VERSION,
  type CatalogueFile,
} from "../contract/service/catalogue-file/catalogue-file.js";
import {
  loadCatalogue,
  parseCatalogueFile,
  refuse,
} from "../contract/service/catalogue-file/load-catalogue.js";
import { mergeCatalogueFiles } from "../contract/service/catalogue-file/merge-files.js";
import { toFileRow } from "../contract/service/catalogue-file/to-row.js";
import type { EndpointSpec } from "../contract/service/endpoint.js";
import type { Platform } from "../contract/service/platforms.js";
import { shellWord } from "../contract/shell-word.js";
import { replaceFileSynced } from "../files/durable-files.js";
import { exists } from "../files/process-lock.js";
import { replaceOutput } from "../files/replace-output.js";
import { makeTemporaryFolder, removeAbandonedFolders } from "../files/temporary-folder.js";
import { writingTo } from "../files/writing-to.js";
import { takeInstallLock } from "./install/install-lock.js";
import { lakePaths } from "./lake-paths.js";
import { lakeSlices } from "./lake-slices.js";
import { type LakeSettings, readSettings } from "./settings.js";

/** Default name of a lake's catalogue file. */
export const CATALOGUE_FILE = "catalogue.json";

const SHIPPED: ReadonlySet<string> = new Set(CATALOGUE.map(({ id }) => id));
const NO_ROWS: CatalogueFile = { catalogue: CATALOGUE_FILE_VERSION, endpoints: [] };

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

/** Rows of a lake's catalogue, and which rows of its slices' platforms are removed from it. */
export interface LakeCatalogue {
  readonly rows: readonly EndpointSpec[];
  readonly removed: ReadonlySet<string>;
}

/**
 * Returns the catalogue of a lake: the built-in rows, extended by the file in its settings. Rows of platforms that its slices bring
 * are not among them.
 * @throws LakeError `catalogue_outside_lake`
 * @throws UsageError `unreadable_file`, `invalid_catalogue`
 */
export async function lakeCatalogue(lake: string, settings: LakeSettings): Promise<LakeCatalogue> {
  const path = catalogueFilePath(lake, settings);
  if (path === undefined) return { rows: CATALOGUE, removed: new Set() };
  const file = parseCatalogueFile(await readOwnFile(lake, path));
  return { rows: rowsOf(file), removed: new Set(file.remove) };
}

/**
 * Returns the endpoints of a lake as `openLake` has them: the built-in rows, those of its catalogue file, and those of the platforms that
 * the slices of its published generation bring.
 * @throws LakeError `catalogue_outside_lake`, `lake_not_found`, `generation_invalid`
 * @throws UsageError `unreadable_file`, `invalid_catalogue`
 */
export async function lakeEndpoints(lake: string): Promise<readonly EndpointSpec[]> {
  const { rows, removed } = await lakeCatalogue(lake, await readSettings(lake));
  return withOwnPlatforms(rows, await platformsOf(lake), removed);
}

/**
 * The same of a lake whose file may be lost, in which case there are no rows of it: what an import begins with.
 * @throws as {@link lakeEndpoints}
 */
export async function endpointsBeforeImport(lake: string): Promise<readonly EndpointSpec[]> {
  const { own } = await ownFileOf(lake);
  return withOwnPlatforms(rowsOf(own), await platformsOf(lake), new Set(own.remove));
}

async function platformsOf(lake: string): Promise<readonly Platform[]> {
  const platforms = (await lakeSlices(lake)).map(({ mirrorlake }) => mirrorlake.platform);
  return [...new Map(platforms.map((platform) => [platform.slug, platform])).values()];
}

/** A lake's catalogue file, empty where there is none or it is lost, and where it is. */
async function ownFileOf(lake: string) {
  const settings = await readSettings(lake);
  const path = catalogueFilePath(lake, settings);
  const isKept = path !== undefined && (await exists(path));
  return { settings, path, own: isKept ? parseCatalogueFile(await readOwnFile(lake, path)) : NO_ROWS };
}

/** The built-in rows, extended by a lake's file, which may remove rows of its slices' platforms too. */
function rowsOf(file: CatalogueFile): readonly EndpointSpec[] {
  return loadCatalogue([{ ...file, remove: file.remove?.filter((id) => SHIPPED.has(id)) }]);
}

/** Reads the file in a lake's settings. @throws UsageError `unreadable_file`, with how to repair the lake */
async function readOwnFile(lake: string, path: string): Promise<unknown> {
  try {
    return await readJsonFile(path);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError("unreadable_file", `The catalogue of the lake at ${lake}: ${error.message}`, {
      value: path,
      remedy: `Put the file back. Where it is lost, make it again: mirrorlake catalogue import <file> --lake ${shellWord(lake)}`,
      cause: error.cause,
    });
  }
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

/** What extending a lake's catalogue changes. */
export interface CatalogueExtension {
  readonly before: readonly EndpointSpec[];
  readonly after: readonly EndpointSpec[];
  /** Ids of rows that platforms of slices have, installed or not, and that are removed from now on. */
  readonly removed: readonly string[];
}

interface Plan extends CatalogueExtension {
  readonly settings: LakeSettings;
  readonly path: string | undefined;
  readonly merged: CatalogueFile;
}

/**
 * Says what {@link extendCatalogue} would change, and writes nothing.
 * @throws UsageError `invalid_catalogue`, `unreadable_file`
 */
export async function planCatalogue(lake: string, file: CatalogueFile): Promise<CatalogueExtension> {
  return plan(lake, file);
}

/**
 * Extends a lake's catalogue: checks the file, writes it into the lake, then refers to it in the settings.
 * Existing rows that the file does not redefine stay. The lake has the rows when it is next opened. A file in the settings that is lost
 * is made again.
 * @throws UsageError `invalid_catalogue`, `unreadable_file`; LakeError `lake_busy`: nothing was written
 */
export async function extendCatalogue(lake: string, file: CatalogueFile): Promise<CatalogueExtension> {
  // What is refused makes no lock file.
  await plan(lake, file);
  const lock = await writingTo(lake, () => takeInstallLock(lake));
  try {
    const { settings, path, merged, ...extension } = await plan(lake, file);
    await replaceFile(lake, path ?? join(lake, CATALOGUE_FILE), merged);
    if (path === undefined) {
      await replaceFile(lake, lakePaths(lake).settings, { ...settings, catalogue: CATALOGUE_FILE });
    }
    return extension;
  } finally {
    await lock.release();
  }
}

async function plan(lake: string, given: CatalogueFile): Promise<Plan> {
  const { settings, path, own } = await ownFileOf(lake);
  const platforms = await platformsOf(lake);
  const shown = (file: CatalogueFile) => withOwnPlatforms(rowsOf(file), platforms, new Set(file.remove));
  const before = shown(own);
  const file = withoutKnown(given, before);
  const [ids, gone] = [new Set(before.map(({ id }) => id)), new Set(own.remove)];
  for (const [i, id] of (file.remove ?? []).entries()) {
    if (!ids.has(id) && !gone.has(id) && !isOwnPlatformRow(id))
      refuse(`remove[${i}]`, `there is no endpoint ${id}`, id);
  }
  const { remove = [], ...rest } = mergeCatalogueFiles(own, completed(file, platforms));
  // What is a row of the file alone is gone with it.
  const merged = { ...rest, remove: remove.filter((id) => SHIPPED.has(id) || isOwnPlatformRow(id)) };
  const removed = merged.remove.filter((id) => !SHIPPED.has(id) && !gone.has(id));
  return { settings, path, merged, before, after: shown(merged), removed };
}

/** A file without the rows that the lake has already, word for word as `catalogue list --json` prints them. */
function withoutKnown(file: CatalogueFile, before: readonly EndpointSpec[]): CatalogueFile {
  const known = new Map(before.map((row) => [row.id, row]));
  const isKnown = (row: CatalogueFile["endpoints"][number]) => {
    const there = row.operation === undefined ? undefined : known.get(row.id);
    return there !== undefined && isDeepStrictEqual(row, JSON.parse(textOf(toFileRow(there))));
  };
  return { ...file, endpoints: file.endpoints.filter((row) => !isKnown(row)) };
}

/**
 * Completes the rows of a file that change some fields of the row which a platform of slices has by itself, so that they stand without the
 * slices.
 */
function completed(file: CatalogueFile, platforms: readonly Platform[]): CatalogueFile {
  const made = new Map(withOwnPlatforms([], platforms).map((row) => [row.id, row]));
  const endpoints = file.endpoints.map((row) => {
    const own = row.operation === undefined ? made.get(row.id) : undefined;
    if (own === undefined) return row;
    const { params, data, example, ...fields } = toFileRow(own);
    // Other options have other parameters and answers.
    return row.options === undefined ? { ...fields, params, data, example, ...row } : { ...fields, ...row };
  });
  return { ...file, endpoints };
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

/** Replaces a file of the lake, and removes what killed processes left of theirs. */
async function replaceFile(lake: string, path: string, content: object): Promise<void> {
  await writingTo(dirname(path), async () => {
    await removeAbandonedFolders(lake);
    const temporary = await makeTemporaryFolder(lake);
    try {
      await replaceFileSynced(path, join(temporary.path, "file.json"), textOf(content));
    } finally {
      await temporary.remove();
    }
  });
}

function textOf(content: object): string {
  return `${JSON.stringify(content, null, 2)}\n`;
}
