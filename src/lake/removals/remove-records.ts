import { resolve } from "node:path";
import { z } from "zod";
import { type Clock, systemClock } from "../../clock.js";
import { checkArgument, checkOptions, explainIssues, optionsSchema } from "../../contract/check-options.js";
import { UsageError } from "../../contract/errors.js";
import { RemovalTarget, removalKey } from "../../contract/lake/removal.js";
import { CallbackOption, ClockOption, PathOption, SignalOption } from "../../contract/option-schemas.js";
import { EventLoopTurn } from "../../event-loop-turn.js";
import { removeAbandonedFolders } from "../../files/temporary-folder.js";
import { writingTo } from "../../files/writing-to.js";
import { hashCorpus } from "../corpus-hash.js";
import { readCurrent } from "../current.js";
import { LAKE_DEFAULTS } from "../defaults.js";
import { adoptNewest } from "../install/adopt-newest.js";
import { takeInstallLock } from "../install/install-lock.js";
import { lakePaths } from "../lake-paths.js";
import { removeStaleRows } from "../maintain/remove-unused.js";
import { markRemovals, readSettings } from "../settings.js";
import { readRemovals, writeRemovals } from "./removals-file.js";
import { addDerived, resolveGenerations } from "./resolve-removals.js";

/** Progress of a removal. */
export interface RemoveProgress {
  /**
   * `find`: what follows from the targets; `hide`: which rows that hides, of the current generation and of each that still has readers;
   * `hash`: the removals hold, and the hash of what is left is made for the report. On ClickHouse, `hide` and then `hold`: the removals
   * hold, and answers that were on their way arrive.
   */
  readonly phase: "find" | "hide" | "hash" | "hold";
  readonly done: number;
  /** 0 if unknown. */
  readonly total: number;
  /** What `done` and `total` count. */
  readonly unit: "targets" | "steps" | "rows";
}

/** Options of {@link removeRecords}. */
export interface RemoveOptions {
  /** Folder of the lake, or the address of one on ClickHouse. */
  readonly lake: string;
  /** Reason, stored with each removal. */
  readonly reason: string;
  /** Clock for the time of removals. */
  readonly clock?: Clock;
  readonly onProgress?: (progress: RemoveProgress) => void;
  readonly signal?: AbortSignal;
}

/** Result of a removal. */
export interface RemoveReport {
  /** Distinct targets, and how many of them were new to the lake. */
  readonly targets: number;
  readonly added: number;
  /** New targets that name nothing in the lake: they hold for what is installed later. */
  readonly unmatched: readonly RemovalTarget[];
  /** Derived removals: works of an author, comments of a video, quotes in a sample, other forms of an id. */
  readonly derived: number;
  /** Content of the current generation that is hidden by all removals since it was built. */
  readonly hidden: { readonly records: number; readonly raw: number; readonly redacted: number };
  /** Slices with removed content, withheld until `compact` replaces them with revisions. */
  readonly withheld: readonly string[];
  /** Total number of the lake's removals. */
  readonly total: number;
  /**
   * Hash of the remaining corpus (`corpusHash`); absent before the first install, and where the signal aborted it: the removals hold all
   * the same.
   */
  readonly corpus?: string;
}

const TargetsOption = z.custom<readonly RemovalTarget[]>(
  (value) => Array.isArray(value),
  'must be an array of what to remove, such as [{ kind: "record", id }]; the lake is named in the options after it',
);

/** A target of each kind, for messages. */
const TARGET_EXAMPLES =
  '{ kind: "record", id: "web_gnw_1" }, { kind: "raw", platform, resource: "comment", id }, { kind: "author", id } or { kind: "hash", hash: "0x…" }';

const OPTIONS = optionsSchema<RemoveOptions>(() => ({
  lake: PathOption,
  reason: z.string(),
  clock: ClockOption.optional(),
  onProgress: CallbackOption.optional(),
  signal: SignalOption.optional(),
}));

/**
 * Removes records, raw items or authors from a lake, for good: from every answer at once, in every process that has the lake
 * open, and from whatever is installed later. All or none: the removals hold from one rename on, which is the last thing
 * that is done. There is no undo; the bytes go with `compact`. Of slices that are missing or damaged, what the lake shows is removed, and they are
 * withheld. Where CURRENT is missing, it names the newest complete generation again.
 * @throws UsageError `removal_reason_missing`, `invalid_takedown`; LakeError `lake_busy`, `lake_not_found`,
 * `removals_corrupt`; the signal's reason when aborted before the removals hold, and then nothing is removed
 */
export async function removeRecords(
  targets: readonly RemovalTarget[],
  options: RemoveOptions,
): Promise<RemoveReport> {
  checkRemoval(targets, options);
  const { reason, clock, onProgress, signal } = options;
  const lake = resolve(options.lake);
  const wanted = await distinctTargets(targets);
  await readSettings(lake);
  return writingTo(lake, () => remove(wanted, { lake, reason, clock, onProgress, signal }));
}

/**
 * Checks what a removal is given, but for each of its targets.
 * @throws UsageError `removal_reason_missing`, `invalid_options`, `invalid_argument`
 */
export function checkRemoval(targets: readonly RemovalTarget[], options: RemoveOptions): void {
  checkArgument(TargetsOption, targets, "targets", "removeRecords");
  checkOptions(OPTIONS, options, "removeRecords");
  const { reason } = options;
  if (reason.trim() === "") {
    throw new UsageError("removal_reason_missing", "A removal needs a reason", {
      value: reason,
      remedy: "say why: it is kept with each removal",
    });
  }
}

/**
 * Checks targets of a removal; returns each once.
 * @throws UsageError `invalid_takedown`
 */
export async function distinctTargets(targets: readonly RemovalTarget[]): Promise<RemovalTarget[]> {
  const turn = new EventLoopTurn(LAKE_DEFAULTS.turnMs);
  const distinct = new Map<string, RemovalTarget>();
  for (const [i, target] of [...targets].entries()) {
    const checked = checkTarget(target, i);
    distinct.set(removalKey(checked), checked);
    if (turn.isOver()) await turn.next();
  }
  return [...distinct.values()];
}

function checkTarget(target: unknown, i: number): RemovalTarget {
  const parsed = RemovalTarget.safeParse(target);
  if (parsed.success) return parsed.data;
  const subject = { schema: shapeOf(target), noun: "member", name: `targets[${i}]` };
  const said = explainIssues(parsed.error, target, subject).map(({ problem }) => problem);
  throw new UsageError("invalid_takedown", `removeRecords: ${said.join("; ")}`, {
    value: target,
    remedy: `give objects, such as ${TARGET_EXAMPLES}; parseTakedownList makes them of text`,
  });
}

/** The shape of a target of its kind, which has the names of its members. */
function shapeOf(target: unknown): z.ZodType {
  const kind = (target as Partial<RemovalTarget> | null | undefined)?.kind;
  return RemovalTarget.options.find(({ shape }) => shape.kind.value === kind) ?? RemovalTarget;
}

async function remove(
  wanted: readonly RemovalTarget[],
  { lake, reason, clock = systemClock, onProgress, signal }: RemoveOptions,
): Promise<RemoveReport> {
  const lock = await takeInstallLock(lake);
  try {
    signal?.throwIfAborted();
    await removeAbandonedFolders(lakePaths(lake).removed);
    const nowMs = clock.now();
    const current = (await readCurrent(lake)) ?? (await adoptNewest(lake, nowMs, signal));
    const list = await readRemovals(lake);
    const before = await list.digest(signal);
    const note = { at: new Date(nowMs).toISOString(), reason };
    const asked: RemovalTarget[] = [];
    const turn = new EventLoopTurn(LAKE_DEFAULTS.turnMs);
    for (const removal of wanted) {
      if (list.add({ removal, ...note })) asked.push(removal);
      if (turn.isOver()) await turn.next();
    }
    const generation = current === undefined ? undefined : lakePaths(lake).generation(current);
    onProgress?.({ phase: "find", done: 0, total: asked.length, unit: "targets" });
    const { derived, unmatched } = await addDerived(lake, list, { generation }, note, { asked, signal });
    const digest = await list.digest(signal);
    const resolved = await resolveGenerations(lake, list, digest, {
      current,
      onStep: (done, total) => onProgress?.({ phase: "hide", done, total, unit: "steps" }),
      signal,
    });
    signal?.throwIfAborted();
    if (digest !== before) await writeRemovals(lake, list, digest);
    await markRemovals(lake);
    await removeStaleRows(lake, current);
    const rows = current === undefined ? undefined : resolved.get(current);
    return {
      targets: wanted.length,
      added: asked.length,
      unmatched,
      derived,
      hidden: {
        records: rows?.records.length ?? 0,
        raw: rows?.raw.length ?? 0,
        redacted: (rows?.redactedRecords.length ?? 0) + (rows?.redactedRaw.length ?? 0),
      },
      withheld: Object.keys(rows?.slices ?? {}),
      total: list.size,
      corpus: current === undefined ? undefined : await hashLeft(lake, onProgress, signal),
    };
  } finally {
    await lock.release();
  }
}

/** The hash of what is left; undefined where the signal aborts it, which is no reason to say that nothing was removed. */
async function hashLeft(
  lake: string,
  onProgress: RemoveOptions["onProgress"],
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const onRows = (done: number, total: number) => onProgress?.({ phase: "hash", done, total, unit: "rows" });
  try {
    return await hashCorpus(lake, { onRows, signal });
  } catch (error) {
    if (signal?.aborted) return undefined;
    throw error;
  }
}
