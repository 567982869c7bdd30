import type { InstallProgress } from "../../lake/install/publish-generation.js";
import { readSliceManifests } from "../../store/generation/generation-manifest.js";
import { runOnRows } from "../cluster/cluster-layout.js";
import type { Connection } from "../connection.js";
import { CLICKHOUSE_DEFAULTS } from "../defaults.js";
import { vectorsOf } from "../fit.js";
import type { OwnSet } from "../own-set.js";
import { hasTable, loadColumn, loadedTables } from "../schema/schema.js";
import { dropVectors } from "./index-vectors.js";
import { OWN_VECTOR_COLUMNS, ownVectorRows } from "./own-vector-rows.js";
import { POSTING_COLUMNS, postingRows } from "./posting-rows.js";
import { RAW_ROW_COLUMNS, rawRows } from "./raw-rows.js";
import { documentFacts, RECORD_ROW_COLUMNS, type RecordFacts, recordRows } from "./record-rows.js";
import { countLayers, type Staged } from "./staged.js";
import {
  GIVEN_VECTOR_COLUMNS,
  givenVectorRows,
  REFITTED_COLUMNS,
  VECTOR_COLUMNS,
  vectorRows,
} from "./vector-rows.js";

/** Numbers of rows that were sent. */
export interface Sent {
  readonly records: number;
  readonly raw: number;
}

/** Options of {@link sendRows}. */
export interface SendOptions {
  /** The load that refitted the embedder of the vectors; 0 for the first fit. */
  readonly fit: number;
  /** Set of an embedder of the user's own, if there is one. */
  readonly own?: OwnSet | undefined;
  readonly onProgress?: (progress: InstallProgress) => void;
  readonly signal?: AbortSignal;
}

/** Sends everything that was staged, as the rows of a load that is not visible yet. @param layers as `stage` makes them */
export async function sendRows(
  connection: Connection,
  layers: readonly Staged[],
  load: number,
  { fit, own, onProgress, signal }: SendOptions,
): Promise<Sent> {
  const { narrow, wide } = CLICKHOUSE_DEFAULTS.blockRows;
  const facts: RecordFacts = {
    ids: [],
    platforms: [],
    domains: [],
    langs: [],
    capturedMs: [],
    languages: [],
    lengths: [],
  };
  for (const staged of layers) {
    const { languages, lengths } = await documentFacts(staged);
    for (const language of languages) facts.languages.push(language);
    for (const length of lengths) facts.lengths.push(length);
  }
  const models = (await readSliceManifests(layers[0]!.dir)).map(
    ({ mirrorlake }) => mirrorlake.embedding?.model ?? "",
  );
  const tables: (readonly [
    string,
    readonly string[],
    number,
    (staged: Staged) => AsyncIterable<Uint8Array>,
  ])[] = [
    ["records", RECORD_ROW_COLUMNS, wide, (staged) => recordRows(staged, load, facts, signal)],
    ["raw", RAW_ROW_COLUMNS, wide, (staged) => rawRows(staged, load, signal)],
    ["postings", POSTING_COLUMNS, narrow, (staged) => postingRows(staged, load, facts, signal)],
    [
      vectorsOf({ fit }, []).table,
      fit === 0 ? VECTOR_COLUMNS : REFITTED_COLUMNS,
      wide,
      (staged) => vectorRows(staged, load, facts, fit, signal),
    ],
    ["given_vectors", GIVEN_VECTOR_COLUMNS, wide, (staged) => givenVectorRows(staged, load, models, signal)],
  ];
  if (own !== undefined)
    tables.push([
      "own_vectors",
      OWN_VECTOR_COLUMNS,
      wide,
      (staged) => ownVectorRows(staged, load, facts, own, signal),
    ]);
  for (const [done, [table, columns, blockRows, rows]] of tables.entries()) {
    onProgress?.({ phase: "publish", done, total: tables.length, unit: "items" });
    await connection.insert(table, columns, inTurn(layers, rows), { blockRows, signal });
  }
  onProgress?.({ phase: "publish", done: tables.length, total: tables.length, unit: "items" });
  return countLayers(layers);
}

async function* inTurn(
  layers: readonly Staged[],
  rows: (staged: Staged) => AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, void> {
  for (const staged of layers) yield* rows(staged);
}

/** Removes the rows of a load that was not completed. */
export async function dropLoad(connection: Connection, load: number): Promise<void> {
  for (const table of await loadedTables(connection))
    if (loadColumn(table) === "load")
      await runOnRows(connection, table, `ALTER TABLE {table} DROP PARTITION ${load}`);
  await dropVectors(connection, load);
  await dropChanges(connection, load);
}

/** Removes what a load that was not completed notes of others: what it hides, removes and shows otherwise, and its fit. */
export async function dropChanges(connection: Connection, load: number): Promise<void> {
  const fits = (await hasTable(connection, "fits")) ? ["fits"] : [];
  for (const table of ["hidden", "removals", "redactions", ...fits])
    await runOnRows(
      connection,
      table,
      `ALTER TABLE {table} DELETE WHERE by = ${load} SETTINGS mutations_sync = 1`,
    );
}
