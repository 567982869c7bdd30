import { LakeError } from "../contract/errors.js";
import { shellWord } from "../contract/shell-word.js";
import type { LakeView } from "../lake/open/open-view.js";
import type { Embedder } from "../search/embed/embedder.js";
import { shownClickHouse } from "./clickhouse-address.js";
import { ClickHouseCorpus } from "./clickhouse-corpus.js";
import { ClickHouseIndex } from "./clickhouse-index.js";
import { committedLoads, installsOf, type Load, loadList, removalState } from "./committed-loads.js";
import type { Connection } from "./connection.js";
import { CLICKHOUSE_DEFAULTS } from "./defaults.js";
import { vectorsOf } from "./fit.js";
import { notInGraph } from "./load/index-vectors.js";
import { LoadedRows } from "./loaded-rows.js";
import { rankingEmbedder } from "./own-set.js";
import { Conditions } from "./query/conditions.js";
import { HiddenPlaces } from "./query/hidden-places.js";
import { KeywordRanking } from "./query/keyword-ranking.js";
import { readLanguageLengths } from "./query/language-lengths.js";
import { OwnVectorRanking } from "./query/own-vector-ranking.js";
import { readLiveRows } from "./query/record-columns.js";
import { Redactions } from "./query/redactions.js";
import { type GraphUse, VectorRanking } from "./query/vector-ranking.js";
import { readTables } from "./schema/found-tables.js";
import { refuseOlder } from "./schema/schema-version.js";
import { LakeTables } from "./sql/lake-tables.js";

/** Complete loads of a lake in one state of its removals. Nothing of it changes; it is replaced by a newer view. */
export interface ClickHouseView extends LakeView {
  readonly corpus: ClickHouseCorpus;
  readonly index: ClickHouseIndex;
  /** The loads that brought slices. */
  readonly loads: readonly Load[];
  /** Those of them that have rows of the view, in the order of its rows. */
  readonly counting: readonly Load[];
  /** The views of SQL. */
  readonly tables: LakeTables;
  /** State of the removals, as `removalState` writes it. */
  readonly removals: string;
  /** Opens a view of the same loads in the state of the removals that `loads` tells. */
  another(loads: readonly Load[]): Promise<ClickHouseView>;
  /** Opens a view of all loads that are complete by now, which shares the embedder where it is the same. This one is open when it is called. */
  newest(): Promise<ClickHouseView>;
  /** Closes what it holds open on this machine. */
  close(): Promise<void>;
}

/** How a lake ranks by vectors. */
export interface RankingChoice {
  /** Scores every candidate. */
  readonly exact?: boolean | undefined;
  /** Ranks where the lake has vectors of an embedder of its id; otherwise the lake's default embedder ranks. */
  readonly embedder?: Embedder | undefined;
  /** How the index of vectors is used; default: as measurements say that it pays. */
  readonly graph?: GraphUse;
}

/**
 * Opens a view of the complete loads: reads what filters ask, measures the languages, and fetches the fitted embedder.
 * @throws LakeError `lake_not_found`, `lake_empty`, `cluster_*`; SearchError `embedder_differs` for one of other dimensions
 */
export function openClickHouseView(
  connection: Connection,
  ranking: RankingChoice = {},
): Promise<ClickHouseView> {
  return openView(connection, ranking);
}

async function openView(
  connection: Connection,
  ranking: RankingChoice,
  before?: LoadedRows,
): Promise<ClickHouseView> {
  const { exact = false, embedder, graph = CLICKHOUSE_DEFAULTS.graph } = ranking;
  const { loads, version } = await loadsOf(connection);
  const rows = await LoadedRows.open(connection, installsOf(loads), before);
  try {
    const isAsked = !exact && version >= CLICKHOUSE_DEFAULTS.graphVersion && rows.places.count >= graph.rows;
    // What is not in the table of the graph would never be found.
    const { fit } = rows.fit;
    const brought = fit === 0 ? rows.counting : rows.loads;
    const isWhole = isAsked && (await notInGraph(connection, brought, fit)).length === 0;
    const given = { graph: isWhole ? graph : undefined, embedder };
    const newest = async (): Promise<ClickHouseView> => {
      rows.hold();
      try {
        return await openView(connection, ranking, rows);
      } finally {
        await rows.release();
      }
    };
    return await viewOf(connection, rows, loads, version, given, newest);
  } finally {
    await rows.release();
  }
}

/** A view of loaded rows, which it holds until it is closed. */
async function viewOf(
  connection: Connection,
  rows: LoadedRows,
  all: readonly Load[],
  version: number,
  ranking: { readonly graph: GraphUse | undefined; readonly embedder: Embedder | undefined },
  newest: () => Promise<ClickHouseView>,
): Promise<ClickHouseView> {
  rows.hold();
  try {
    const { loads, places, columns, own, analyze, counting, fit } = rows;
    const stored = vectorsOf(fit, loads);
    const given = rankingEmbedder(own, ranking.embedder);
    const removing = all.filter(({ removes }) => removes);
    const [{ live, removed, hidden }, hiddenRaw, redactions] = await Promise.all([
      readLiveRows(connection, loads, removing, places),
      HiddenPlaces.readRaw(connection, loads, { removing, more: `load IN (${loadList(counting)})` }),
      Redactions.read(connection, loads, removing, version),
    ]);
    const conditions = new Conditions(rows, removing, { records: hidden, raw: hiddenRaw });
    const languages = await readLanguageLengths(connection, conditions);
    const index = new ClickHouseIndex({
      connection,
      conditions,
      places,
      removed,
      words: new KeywordRanking(connection, conditions, places, languages),
      vectors:
        given === undefined
          ? new VectorRanking(connection, conditions, places, stored, ranking.graph)
          : new OwnVectorRanking(connection, conditions, places, given.dims),
      stored,
      embedder: given ?? rows.embedder,
      fitted: given === undefined ? rows.embedder : undefined,
      own,
      // Older versions noted no digests.
      given: counting.some(({ digests }) => digests.given_vectors?.rows !== 0),
      analyze,
    });
    return {
      generation: loads.length,
      corpus: new ClickHouseCorpus({
        connection,
        loads,
        places,
        conditions,
        columns,
        live,
        removed,
        redactions,
      }),
      index,
      loads,
      counting,
      tables: new LakeTables({
        connection,
        loads,
        places,
        conditions,
        redactions,
        index,
      }),
      removals: removalState(all),
      another: (newer) => viewOf(connection, rows, newer, version, ranking, newest),
      newest,
      close: () => rows.release(),
    };
  } catch (error) {
    await rows.release();
    throw error;
  }
}

/** The complete loads of a lake, at least one with slices. @throws LakeError `lake_not_found`, `lake_empty`, `cluster_*` */
async function loadsOf(
  connection: Connection,
): Promise<{ readonly loads: readonly Load[]; readonly version: number }> {
  const shown = shownClickHouse(connection.address);
  const remedy = `install slices: mirrorlake install <slices…> --lake ${shellWord(shown)}`;
  const { version } = await readTables(connection);
  refuseOlder(version);
  if (version === undefined)
    throw new LakeError("lake_not_found", `There is no lake at ${shown}`, { value: shown, remedy });
  const loads = await committedLoads(connection);
  if (installsOf(loads).length === 0)
    throw new LakeError("lake_empty", `Nothing has been installed into the lake at ${shown}`, {
      value: shown,
      remedy,
    });
  return { loads, version };
}
