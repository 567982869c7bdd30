import { randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { z } from "zod";
import { LakeError } from "../contract/errors.js";
import { unlessLacking } from "../contract/lacking.js";
import { firstRule } from "../contract/rule-text.js";
import { replaceFileSynced } from "../files/durable-files.js";
import { makeFolder } from "../files/make-folder.js";
import { lakePaths } from "./lake-paths.js";

/** The newest lake format that this library reads: a lake with removals. */
export const LAKE_FORMAT_VERSION = 2;

/** Format of a lake without removals. A library that knows only this format must not open the other. */
const PLAIN_FORMAT_VERSION = 1;

/** Settings of a lake, `mirrorlake.json`. Unknown members are preserved. */
export const LakeSettings = z.looseObject({
  formatVersion: z.union([z.literal(PLAIN_FORMAT_VERSION), z.literal(LAKE_FORMAT_VERSION)]),
  /** File of catalogue rows, relative to the lake, that replace or extend the built-in ones. */
  catalogue: z.string().min(1).optional(),
});
export type LakeSettings = Readonly<z.infer<typeof LakeSettings>>;

/**
 * Reads the settings of a lake.
 * @throws LakeError `lake_not_found`, `lake_newer_format`, `lake_settings_invalid`, `not_readable`, `too_many_open_files`, `name_too_long`
 */
export async function readSettings(lake: string): Promise<LakeSettings> {
  const path = lakePaths(lake).settings;
  let json: unknown;
  try {
    json = JSON.parse(await readFile(path, "utf8"));
  } catch (cause) {
    if (["ENOENT", "ENOTDIR"].includes((cause as NodeJS.ErrnoException).code ?? "")) {
      throw new LakeError("lake_not_found", `There is no lake at ${lake}`, {
        value: lake,
        remedy: "make one: mirrorlake install <slices…> --lake <dir>, or mirrorlake demo for the demo's",
        cause,
      });
    }
    throw unlessLacking(invalid(path, (cause as Error).message, cause));
  }
  const version = (json as { formatVersion?: unknown } | null)?.formatVersion;
  if (typeof version === "number" && version > LAKE_FORMAT_VERSION) {
    throw new LakeError(
      "lake_newer_format",
      `The lake at ${lake} has format version ${version}, this library reads up to ${LAKE_FORMAT_VERSION}`,
      { value: version, remedy: "update mirrorlake" },
    );
  }
  const parsed = LakeSettings.safeParse(json);
  if (!parsed.success) {
    throw invalid(path, firstRule(parsed.error, "settings"), parsed.error);
  }
  return parsed.data;
}

/**
 * Reads the settings of a lake, or creates an empty lake in an absent or empty folder; `created` says which.
 * @throws LakeError `lake_foreign` for a folder with other content; UsageError `unwritable_folder`
 */
export async function openOrCreate(lake: string): Promise<{ settings: LakeSettings; created: boolean }> {
  const there = await settingsOrPlace(lake);
  if (there !== undefined) return { settings: there, created: false };
  await makeFolder(lake);
  const settings: LakeSettings = { formatVersion: PLAIN_FORMAT_VERSION };
  await writeSettings(lake, settings);
  return { settings, created: true };
}

/**
 * Reads the settings of a lake; undefined for an absent or empty folder, which can become one. Writes nothing.
 * @throws LakeError `lake_foreign` for any other folder
 */
export async function settingsOrPlace(lake: string): Promise<LakeSettings | undefined> {
  try {
    return await readSettings(lake);
  } catch (error) {
    if (!(error instanceof LakeError) || error.code !== "lake_not_found") throw error;
  }
  const names: string[] = await readdir(lake).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    if (error.code === "ENOTDIR") throw foreign(lake, "a file, or below one", error);
    throw error;
  });
  // Another process created it meanwhile.
  if (names.includes(basename(lakePaths(lake).settings))) return readSettings(lake);
  const other = names.find((name) => !name.startsWith(".mirrorlake.json-"));
  if (other !== undefined) throw foreign(lake, `not a lake, but not empty: it holds ${other}`);
  return undefined;
}

function foreign(lake: string, what: string, cause?: unknown): LakeError {
  return new LakeError("lake_foreign", `${lake} is ${what}`, {
    value: lake,
    remedy: "name a lake, or a folder that is empty or absent",
    cause,
  });
}

/** Marks a lake as having removals, so that libraries without support for removals refuse it. */
export async function markRemovals(lake: string): Promise<void> {
  const settings = await readSettings(lake);
  if (settings.formatVersion === LAKE_FORMAT_VERSION) return;
  await writeSettings(lake, { ...settings, formatVersion: LAKE_FORMAT_VERSION });
}

/** Whether the lake has removals. */
export function hasRemovals({ formatVersion }: LakeSettings): boolean {
  return formatVersion === LAKE_FORMAT_VERSION;
}

async function writeSettings(lake: string, settings: LakeSettings): Promise<void> {
  // Concurrent writers, also in this process, need different names.
  const temporary = join(lake, `.mirrorlake.json-${process.pid}-${randomBytes(4).toString("hex")}`);
  await replaceFileSynced(lakePaths(lake).settings, temporary, `${JSON.stringify(settings, null, 2)}\n`);
}

function invalid(path: string, reason: string, cause: unknown): LakeError {
  return new LakeError("lake_settings_invalid", `${path} is not valid: ${reason}`, {
    value: path,
    remedy: `correct the file; the least that it holds is {"formatVersion": ${PLAIN_FORMAT_VERSION}}, or ${LAKE_FORMAT_VERSION} where there is a removals.jsonl`,
    cause,
  });
}
