import { existsSync } from "node:fs";
import { checkArgument, checkOptions } from "../../contract/check-options.js";
import { PullError } from "../../contract/errors.js";
import { TextOption } from "../../contract/option-schemas.js";
import { counted } from "../../contract/quantity.js";
import type { SliceIndexEntry } from "../../contract/slice/slice-index.js";
import { nearestFolder } from "../../files/nearest-folder.js";
import { indexBytes } from "../../lake/install/index-bytes.js";
import { lakePaths } from "../../lake/lake-paths.js";
import { damagedSlices, lakeSlices } from "../../lake/lake-slices.js";
import { readRemovals, removedRoots } from "../../lake/removals/removals-file.js";
import { systemEnvironment } from "../source/environment.js";
import type { SliceSource } from "../source/slice-source.js";
import { bytesWaiting } from "./incoming.js";
import { openSource } from "./open-source.js";
import { toSliceFilter } from "./pull-filter.js";
import { PULL_OPTIONS, type PullOptions } from "./pull-options.js";
import { refuseLacking } from "./refuse-lacking.js";
import { type SelectedSlices, selectSlices } from "./select-slices.js";
import { withSpare } from "./space.js";

/** A slice of a source's index with its state in the pull. */
export interface PlannedSlice extends Pick<SliceIndexEntry, "root" | "name" | "bytes" | "filter" | "counts"> {
  /**
   * `wanted`: to be fetched; `present` in the lake; `superseded` by another that is wanted or present; `removed`: all that it holds was
   * removed from the lake.
   */
  readonly state: "wanted" | "present" | "superseded" | "removed";
}

const STATES = ["wanted", "present", "superseded", "removed"] as const;

/** Plan of a pull. */
export interface PullPlan {
  readonly source: string;
  readonly slices: readonly PlannedSlice[];
  /** Bytes of the wanted slices, and of these what an earlier pull has left in the lake. */
  readonly bytes: number;
  readonly bytesThere: number;
  /** Bytes free where the lake is or will be, and how many the pull asks for: files, and the lake's indexes over them. */
  readonly bytesFree: number;
  readonly bytesNeeded: number;
}

/**
 * What `pullSlices` would do: it reads the source's index and changes nothing.
 * @throws PullError, UsageError as `pullSlices` does
 */
export async function planPull(source: string, options: PullOptions): Promise<PullPlan> {
  checkArgument(TextOption, source, "source", "planPull");
  checkOptions(PULL_OPTIONS, options, "planPull");
  const opened = await openSource(source, options, options.signal);
  return planOf(opened, await selectFrom(opened, options), options);
}

/**
 * Chooses from what a source has, by filter and roots, and what the lake holds.
 * @param exactly whether a missing root is an error
 * @throws PullError `nothing_selected`; UsageError for a filter that is not valid
 */
export async function selectFrom(
  source: SliceSource,
  options: PullOptions,
  exactly = false,
): Promise<SelectedSlices> {
  const filter = toSliceFilter(options.filter ?? {});
  const listed = await source.list();
  const held = await lakeSlices(options.lake);
  const chosen = selectSlices(listed, {
    filter,
    roots: options.roots === undefined ? undefined : new Set(options.roots),
    held: held.map(({ mirrorlake }) => mirrorlake),
    removed: existsSync(lakePaths(options.lake).removals)
      ? removedRoots(await readRemovals(options.lake))
      : undefined,
    damaged: await damagedSlices(options.lake, held, new Set(listed.map(({ root }) => root))),
  });
  if (exactly) refuseLacking(source, options.roots ?? [], chosen);
  if (STATES.some((state) => chosen[state].length > 0)) return chosen;
  throw new PullError(
    "nothing_selected",
    `${source.name} has ${counted(listed.length, "slice")}, of which none is selected`,
    {
      value: options.roots ?? options.filter,
      remedy: "widen the filter; `--dry-run` without one lists what there is",
    },
  );
}

/** What a pull of the selection will bring, and what it asks for. */
export async function planOf(
  source: SliceSource,
  chosen: SelectedSlices,
  options: PullOptions,
): Promise<PullPlan> {
  const { environment = systemEnvironment, lake } = options;
  const slices = STATES.flatMap((state) =>
    chosen[state].map(({ root, name, bytes, filter, counts }) => ({
      root,
      name,
      bytes,
      filter,
      counts,
      state,
    })),
  );
  const bytes = chosen.wanted.reduce((sum, slice) => sum + slice.bytes, 0);
  const standing = chosen.wanted.every(({ root }) => source.folder(root) !== undefined);
  const bytesThere = standing ? 0 : await bytesWaiting(lake, chosen.wanted);
  const bytesFree = await environment.freeBytes(await nearestFolder(lake));
  const bytesNeeded =
    chosen.wanted.length === 0
      ? 0
      : withSpare(
          bytes -
            bytesThere +
            indexBytes(
              await lakeSlices(lake),
              chosen.wanted.map(({ counts }) => counts),
            ),
        );
  return { source: source.name, slices, bytes, bytesThere, bytesFree, bytesNeeded };
}
