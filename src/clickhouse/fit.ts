import { type Load, loadList } from "./committed-loads.js";
import type { Connection } from "./connection.js";
import { RowBinaryWriter } from "./row-binary.js";
import { hasTable } from "./schema/schema.js";

const TABLE = "fits";
const COLUMNS = ["by", "turn", "fit", "segments", "records", "raw", "documents", "content"];

/** A lake's own embedder as it is fitted, and which of its vectors are of it. */
export interface Fit {
  /** The load that refitted it, whose number its vectors bear; 0 where the first install fitted it. */
  readonly fit: number;
  /** Id of the embedder. */
  readonly model: string;
}

/** What a lake had after an install, by which the next one grows or refits the embedder. */
export interface FittedSize {
  /** What it showed. */
  readonly liveRecords: number;
  readonly liveRaw: number;
  /** Number of installs since the embedder was fitted, with that one. */
  readonly installs: number;
  /** Records that the slices of the later ones of them brought. */
  readonly grown: number;
  /** Documents that the embedder was fitted to. */
  readonly documents: number;
  /** Tells these documents from others. */
  readonly content: string;
}

/** The fit that counts in a lake. */
export interface CurrentFit extends Fit {
  /** Undefined where an older version made the newest load. */
  readonly size: FittedSize | undefined;
  /** Greater than those of the installs before. */
  readonly turn: number;
}

/** Reads the fit that counts. @param installs complete loads with slices, at least one, by id */
export async function readFit(
  connection: Connection,
  installs: readonly Load[],
  signal?: AbortSignal,
): Promise<CurrentFit> {
  const first: CurrentFit = { fit: 0, model: installs.at(-1)!.model, size: undefined, turn: 0 };
  if (!(await hasTable(connection, TABLE))) return first;
  const [row] = await connection.rows<[number, number, number, number, number, number, number, string]>(
    `SELECT ${COLUMNS.join(", ")} FROM ${TABLE} WHERE by IN (${loadList(installs)}) ORDER BY turn DESC LIMIT 1
      SETTINGS load_balancing = 'in_order'`,
    {},
    signal,
  );
  if (row === undefined) return first;
  const [by, turn, fit, count, liveRecords, liveRaw, documents, content] = row;
  const { model } = installs.find(({ id }) => id === by)!;
  const until = installs.filter(({ id }) => id <= by);
  const later = until.slice(Math.max(0, until.length - count + 1));
  const size = { installs: count, grown: recordsBrought(later), liveRecords, liveRaw, documents, content };
  return { fit, model, size, turn };
}

/** The number of records that the slices of installs brought. */
function recordsBrought(installs: readonly Load[]): number {
  const slices = installs.flatMap((install) => install.slices);
  return slices.reduce((sum, { mirrorlake }) => sum + mirrorlake.counts.records, 0);
}

/** Notes the fit that counts from a load on; it is not visible before the load is. */
export async function writeFit(
  connection: Connection,
  by: number,
  { fit, turn, size }: Pick<CurrentFit, "fit" | "turn"> & { readonly size: FittedSize },
): Promise<void> {
  const row = new RowBinaryWriter().uint64(by).uint64(turn).uint64(fit).uint32(size.installs);
  row.uint32(size.liveRecords).uint32(size.liveRaw).uint32(size.documents).text(size.content);
  await connection.insert(TABLE, COLUMNS, [row.take()]);
}

/** Where the vectors of a fit are. */
export interface FittedVectors {
  readonly table: "vectors" | "refitted";
  /** The table of the graph over them. */
  readonly graph: "near" | "refitted_near";
  /** Condition in SQL on the rows of both. */
  readonly of: string;
}

/** Where the vectors of a fit are. @param loads those that are asked for */
export function vectorsOf({ fit }: Pick<Fit, "fit">, loads: readonly Pick<Load, "id">[]): FittedVectors {
  if (fit === 0) return { table: "vectors", graph: "near", of: "1" };
  return { table: "refitted", graph: "refitted_near", of: `fit = ${fit} AND by IN (${loadList(loads)})` };
}
