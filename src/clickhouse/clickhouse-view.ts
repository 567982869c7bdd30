import { tmpdir } from "node:os";
import { join } from "node:path";
import { LakeError } from "../contract/errors.js";
import { makeTemporaryFolder } from "../files/temporary-folder.js";
import type { LakeView } from "../lake/open/open-view.js";
import { queryTerms } from "../search/analysis/query-terms.js";
import { Stemmers } from "../search/analysis/stemming.js";
import { ReflectiveEmbedder } from "../search/embed/reflective-embedder.js";
import { shownClickHouse } from "./clickhouse-address.js";
import { ClickHouseCorpus } from "./clickhouse-corpus.js";
import { ClickHouseIndex } from "./clickhouse-index.js";
import { committedLoads, type Load } from "./committed-loads.js";
import type { Connection } from "./connection.js";
import { fetchModel } from "./model-store.js";
import { Conditions } from "./query/conditions.js";
import { KeywordRanking } from "./query/keyword-ranking.js";
import { readLanguageLengths } from "./query/language-lengths.js";
import { readLiveRows, readRecordColumns } from "./query/record-columns.js";
import { RowPlaces } from "./query/row-places.js";
import { VectorRanking } from "./query/vector-ranking.js";
import { schemaVersion } from "./schema.js";

/** The complete loads of a lake at one time. Later loads change nothing of it; it is replaced by a newer view. */
export interface ClickHouseView extends LakeView {
  readonly corpus: ClickHouseCorpus;
  readonly index: ClickHouseIndex;
  readonly loads: readonly Load[];
  /** Closes what it holds open on this machine. */
  close(): Promise<void>;
}

/**
 * Opens a view of the complete loads: reads what filters ask, measures the languages, and fetches the fitted embedder to a temporary
 * folder.
 * @throws LakeError `lake_not_found`, `lake_empty`, `cluster_*`
 */
export async function openClickHouseView(connection: Connection): Promise<ClickHouseView> {
  const loads = await loadsOf(connection);
  const folder = await makeTemporaryFolder(join(tmpdir(), "mirrorlake-models"));
  let embedder: ReflectiveEmbedder | undefined;
  const close = async () => {
    embedder?.close();
    await folder.remove();
  };
  try {
    const dir = join(folder.path, "model");
    await fetchModel(connection, loads[0]!.model, dir);
    const places = new RowPlaces(loads);
    const [columns, live, hiddenRaw] = await Promise.all([
      readRecordColumns(connection, loads, places),
      readLiveRows(connection, loads, places),
      hidesRaw(connection),
    ]);
    const hides = { records: live.count < live.size, raw: hiddenRaw };
    const conditions = new Conditions(loads, places, columns, hides);
    const languages = await readLanguageLengths(connection, conditions);
    const known = await allLanguages(connection, conditions);
    const stemmers = new Stemmers();
    await stemmers.load(known);
    const analyze = (query: string) => queryTerms(query, known, stemmers);
    embedder = await ReflectiveEmbedder.open(dir, (text) => analyze(text).terms);
    const index = new ClickHouseIndex({
      connection,
      conditions,
      places,
      words: new KeywordRanking(connection, conditions, places, languages),
      vectors: new VectorRanking(connection, conditions, places),
      embedder,
      analyze,
    });
    const corpus = new ClickHouseCorpus({ connection, loads, places, conditions, columns, live });
    return { generation: loads.length, corpus, index, loads, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The complete loads of a lake, at least one. @throws LakeError `lake_not_found`, `lake_empty`, `cluster_*` */
async function loadsOf(connection: Connection): Promise<Load[]> {
  const shown = shownClickHouse(connection.address);
  const remedy = `install slices: mirrorlake install <slices…> --lake ${shown}`;
  if ((await schemaVersion(connection)) === undefined)
    throw new LakeError("lake_not_found", `There is no lake at ${shown}`, { value: shown, remedy });
  const loads = await committedLoads(connection);
  if (loads.length === 0)
    throw new LakeError("lake_empty", `Nothing has been installed into the lake at ${shown}`, {
      value: shown,
      remedy,
    });
  return loads;
}

async function hidesRaw(connection: Connection): Promise<boolean> {
  const [counted] = await connection.rows<[number]>("SELECT count() FROM hidden WHERE kind = 'raw'");
  return counted![0] > 0;
}

/** The languages of all documents, replaced ones as well: primary subtags, ascending. */
async function allLanguages(connection: Connection, conditions: Conditions): Promise<string[]> {
  const rows = await connection.rows<[string]>(
    `SELECT DISTINCT language FROM records WHERE ${conditions.live("records")} ORDER BY language`,
  );
  return rows.map(([language]) => language);
}
