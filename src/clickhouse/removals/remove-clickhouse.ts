import { setTimeout as sleep } from "node:timers/promises";
import { type Clock, systemClock } from "../../clock.js";
import { LakeError } from "../../contract/errors.js";
import type { Removal, RemovalTarget } from "../../contract/lake/removal.js";
import {
  checkRemoval,
  distinctTargets,
  type RemoveProgress,
  type RemoveReport,
} from "../../lake/removals/remove-records.js";
import { otherForms } from "../../store/removals/target-forms.js";
import { type ClickHouseAddress, shownClickHouse } from "../clickhouse-address.js";
import { levelLoads } from "../cluster/copies.js";
import { openWriter } from "../cluster/open-writer.js";
import { commitLoad, committedLoads, type Load, loadList, newLoadId } from "../committed-loads.js";
import type { Connection } from "../connection.js";
import { CLICKHOUSE_DEFAULTS } from "../defaults.js";
import { knownTables } from "../schema/found-tables.js";
import { upgradeSchema } from "../schema/schema.js";
import { WriterLease } from "../writer-lease.js";
import { deriveKeys, gone, type RemovalWork } from "./derive-keys.js";
import { findAnsweredHashes } from "./find-answered-hashes.js";
import { countHidden, hideRemoved } from "./hide-removed.js";
import { matchedTargets } from "./matched-targets.js";
import { redactRows } from "./redact-rows.js";
import { ORIGINS, type RemovedKey, sendKeys } from "./send-keys.js";

/** Options of {@link removeClickHouse}. */
export interface ClickHouseRemoveOptions {
  readonly lake: ClickHouseAddress;
  readonly reason: string;
  readonly clock?: Clock;
  readonly onProgress?: (progress: RemoveProgress) => void;
  readonly signal?: AbortSignal;
}

/**
 * Removes targets from a lake on ClickHouse. The removal is one row: once it is there, every server that has the lake open
 * finds it before it gives an answer. All or none.
 * @throws UsageError `removal_reason_missing`, `invalid_takedown`; LakeError `lake_not_found`, `cluster_busy`, `cluster_*`; the signal's reason
 */
export async function removeClickHouse(
  targets: readonly RemovalTarget[],
  options: ClickHouseRemoveOptions,
): Promise<RemoveReport> {
  checkRemoval(targets, options);
  const { lake, reason, clock = systemClock, onProgress, signal } = options;
  const wanted = await distinctTargets(targets);
  const connection = await openWriter(lake);
  try {
    const found = (await knownTables(connection)).version;
    if (found === undefined)
      throw new LakeError("lake_not_found", `There is no lake at ${shownClickHouse(lake)}`, {
        value: shownClickHouse(lake),
        remedy: "Check the address; a lake is made by the first install.",
      });
    await upgradeSchema(connection, found);
    const lease = await WriterLease.take(connection, signal);
    try {
      return await remove(wanted, { connection, lease, nowMs: clock.now(), reason, onProgress, signal });
    } finally {
      await lease.release();
    }
  } finally {
    await connection.close();
  }
}

/** Steps of a removal before it holds. */
const STEPS = 5;

async function remove(
  targets: readonly RemovalTarget[],
  {
    connection,
    lease,
    nowMs,
    reason,
    onProgress,
    signal,
  }: {
    readonly connection: Connection;
    readonly lease: WriterLease;
    readonly nowMs: number;
    readonly reason: string;
    readonly onProgress: ((progress: RemoveProgress) => void) | undefined;
    readonly signal: AbortSignal | undefined;
  },
): Promise<RemoveReport> {
  const layout = await levelLoads(connection, lease);
  // While it waited for its turn the tables may have been brought up to date.
  const version = (await knownTables(connection)).version!;
  const loads = await committedLoads(connection, signal);
  const by = newLoadId(nowMs, loads);
  const work: RemovalWork = { connection, version, loads, by, atMs: nowMs, reason, signal };
  await sendTargets(work, targets);
  const isNew = await newKeys(work);
  const asked = targets.filter((target) => isNew.has(keyOf(target)));
  const step = (done: number) => onProgress?.({ phase: "hide", done, total: STEPS, unit: "steps" });
  step(0);
  const isMatched = await matchedTargets(work, asked);
  step(1);
  const hashes = await findAnsweredHashes(work);
  step(2);
  await deriveKeys(work);
  step(3);
  await hideRemoved(work);
  step(4);
  await redactRows(work);
  step(STEPS);
  const load: Load = {
    id: by,
    nowMs,
    model: "",
    records: 0,
    raw: 0,
    slices: [],
    removes: true,
    digests: {},
  };
  signal?.throwIfAborted();
  await commitLoad(connection, load, lease, layout);
  onProgress?.({ phase: "hold", done: 0, total: 0, unit: "steps" });
  const [derived, total] = await countKeys(work);
  const report: RemoveReport = {
    targets: targets.length,
    added: asked.length,
    unmatched: asked.filter((target) =>
      target.kind === "hash" ? hashes.has(target.hash) : !isMatched(target),
    ),
    derived,
    hidden: await countHidden(work),
    // No slice is handed out by a lake on ClickHouse.
    withheld: [],
    total,
  };
  // Answers that were checked before it are on their way by then.
  await sleep(CLICKHOUSE_DEFAULTS.settleMs);
  return report;
}

/** Sends targets, and as derived from them the other forms of their ids. */
async function sendTargets(work: RemovalWork, targets: readonly RemovalTarget[]): Promise<void> {
  await sendKeys(
    work,
    targets.flatMap((target): RemovedKey[] => [
      { ...columnsOf(target), origin: "given" },
      ...otherForms(target).map((form): RemovedKey => ({ ...columnsOf(form), origin: "derived" })),
    ]),
  );
}

/** What the table says of a removal. */
function columnsOf(removal: Removal): Omit<RemovedKey, "origin"> {
  const { kind } = removal;
  const platform = kind === "raw" || kind === "author" ? (removal.platform ?? "") : "";
  const resource = kind === "raw" ? removal.resource : "";
  if (kind === "hash") return { kind, platform, resource, id: removal.hash };
  if (kind === "quote" || kind === "slice") throw new RangeError(`A ${kind} is no target`);
  return { kind, platform, resource, id: removal.id };
}

function keyOf(target: RemovalTarget): string {
  const { kind, platform, resource, id } = columnsOf(target);
  return JSON.stringify([kind, platform, resource, id]);
}

/** Keys of the targets that were not removed before. */
async function newKeys({ connection, loads, by }: RemovalWork): Promise<Set<string>> {
  const key = "kind, platform, resource, id";
  const before = ["record", "raw", "author", "hash"].map((kind) =>
    gone({ loads, by: 0 }, kind as "record", key),
  );
  const rows = await connection.rows<[string, string, string, string]>(
    `SELECT DISTINCT ${key} FROM removals WHERE by = ${by} AND derived = ${ORIGINS.given}
      AND (${key}) GLOBAL NOT IN (${before.join(" UNION ALL ")})`,
  );
  return new Set(rows.map((row) => JSON.stringify(row)));
}

/** How many keys the change derived, that none before it has, and how many are removed in all. */
async function countKeys({ connection, loads, by }: RemovalWork): Promise<[number, number]> {
  const key = "kind, platform, resource, id, sha256";
  const known = `by IN (${loadList(loads)}) OR (by = ${by} AND derived = ${ORIGINS.given})`;
  const [row] = await connection.rows<[number, number]>(
    `SELECT uniqExactIf(${key}, (${key}) GLOBAL NOT IN (SELECT ${key} FROM removals WHERE ${known}) AND by = ${by}), uniqExact(${key})
      FROM removals WHERE by IN (${loadList(loads)}, ${by})`,
  );
  return row!;
}
