import { join } from "node:path";
import { makeSystemFolder } from "../../files/system-folder.js";
import { indexProgress } from "../../lake/install/index-progress.js";
import type { InstallProgress } from "../../lake/install/publish-generation.js";
import { buildIndex } from "../../search/build-index.js";
import { EMBEDDER } from "../../search/index-manifest.js";
import type { Connection } from "../connection.js";
import { CLICKHOUSE_DEFAULTS } from "../defaults.js";
import type { Fit } from "../fit.js";
import { fetchModel, storeModel } from "../model-store.js";
import { indexVectors } from "./index-vectors.js";
import { type LiveChange, type LiveRows, liveDocuments, liveRows } from "./live-documents.js";
import { REFITTED_COLUMNS, refittedRows } from "./vector-rows.js";

/** How an install works on vectors. */
export interface FitOptions {
  readonly threads?: number | undefined;
  readonly onProgress?: ((progress: InstallProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What is to be fitted or embedded for a load. */
export interface FitWork {
  readonly change: LiveChange;
  /** The fit that counts. */
  readonly base: Fit;
  /** Whether it is refitted to all that is live then; otherwise what has no vectors by it yet is embedded. */
  readonly refits: boolean;
  /** Live records of the lake with the load. */
  readonly records: number;
}

/**
 * Fits the lake's own embedder to what is live once a load is visible, and sends the vectors that it makes of it; no query asks for them
 * before the load is visible. Or embeds what has no vectors, by the fit that counts: records of the load, and those that it shows again.
 * What is live is noted already.
 * @returns the fit that is to count: the one before where the same comes of it
 */
export async function refit(
  connection: Connection,
  { change, base, refits, records }: FitWork,
  { threads, onProgress, signal }: FitOptions,
): Promise<Fit> {
  const { made } = change;
  const folder = await makeSystemFolder("fit");
  try {
    const [search, known] = [join(folder.path, "index"), join(folder.path, "known")];
    if (!refits) await fetchModel(connection, base.model, join(known, EMBEDDER), signal);
    const rows: LiveRows = {
      loads: [],
      ordinals: [],
      ids: [],
      platforms: [],
      domains: [],
      langs: [],
      capturedMs: [],
      languages: [],
    };
    const more = refits ? "1" : base.fit === 0 ? `load = ${made.id}` : withoutVectors(base);
    const index = await buildIndex(search, liveDocuments(connection, change, rows, { more, signal }), {
      fit: refits ? undefined : { dir: known },
      index: "scan",
      threads,
      signal,
      onProgress: (progress) => onProgress?.(indexProgress(progress, refits ? records : made.records)),
    });
    const model = await storeModel(connection, join(search, EMBEDDER), { known: base.model, signal });
    if (refits && model === base.model && (await hasVectors(connection, change, base, signal))) return base;
    const fit = refits ? made.id : base.fit;
    await connection.insert(
      "refitted",
      REFITTED_COLUMNS,
      refittedRows(search, index, rows, { fit, by: made.id }, signal),
      {
        blockRows: CLICKHOUSE_DEFAULTS.blockRows.wide,
        signal,
      },
    );
    await indexVectors(connection, [{ id: made.id, records: 0 }], { records, fit });
    return { fit, model };
  } finally {
    await folder.remove();
  }
}

/** Whether a fit has vectors of all that is live once a load is visible: of what was hidden when it was made it has none. */
export async function hasVectors(
  connection: Connection,
  change: LiveChange,
  { fit }: Pick<Fit, "fit">,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  if (fit === 0) return true;
  const [row] = await connection.rows<[number]>(
    `SELECT count() FROM records WHERE ${liveRows("records", change)} AND ${withoutVectors({ fit })}`,
    {},
    signal,
  );
  return row![0] === 0;
}

/** SQL of the rows that a fit after the first has no vectors of. */
function withoutVectors({ fit }: Pick<Fit, "fit">): string {
  return `(load, ordinal) GLOBAL NOT IN (SELECT load, ordinal FROM refitted WHERE fit = ${fit})`;
}
