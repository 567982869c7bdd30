import { SEARCH_DEFAULTS } from "../defaults.js";
import { EventLoopQueue } from "../event-loop-queue.js";
import { type AmongRows, countOf, listOf } from "./among-rows.js";
import type { ScanWidth } from "./codes/column-codes.js";
import { ColumnScan } from "./codes/column-scan.js";
import { QUANTIZERS } from "./codes/quantizer.js";
import type { ScanMate } from "./codes/scan-mate.js";
import { loadGraph } from "./graph/load-graph.js";
import type { CodeQuery, OpenGraph } from "./graph/open-graph.js";
import { helpWith, type LoadHelp, loadTogether } from "./load-together.js";
import type { NearestOptions, NearestSearch } from "./nearest-search.js";
import { type SearchStep, widthOf } from "./recall/set-recall.js";
import { ByteScores } from "./scores/byte-scores.js";
import { FloatScores } from "./scores/float-scores.js";
import { ScoreExchange } from "./scores/score-exchange.js";
import { ofListed, roomOf } from "./scores/score-listed.js";
import { bestOf } from "./scores/score-rows.js";
import { type RunContext, type ScoredRuns, scoreRuns } from "./scores/score-runs.js";
import type { Scored } from "./scores/top-k.js";
import { exactCost, SearchPlan, stepCost } from "./search-plan.js";
import { joinSetFiles, largestOf, type SetFiles, type SetFolder } from "./set-files.js";
import type { VectorSetManifest } from "./vector-set-manifest.js";
import type { Vectors } from "./vectors.js";

/** Options of {@link VectorSet.open}. */
export interface VectorSetOptions {
  /** How the set is searched; default: by the first step. */
  readonly plan?: SearchPlan;
  /** Shares the event loop with other searches. */
  readonly queue?: EventLoopQueue;
  /** Number of vectors whose bytes are kept in memory; default: all. */
  readonly kept?: number;
  /** Whether candidates are found by the set's graph rather than by columns; default: as the plan says. */
  readonly byGraph?: boolean;
  /** Whether searches of its graph begin at rows with words of the query, too: where its recall was measured so. Default: yes. */
  readonly hinted?: boolean;
  /** A thread that helps to load and to scan. */
  readonly mate?: ScanMate | undefined;
  /** Whether this thread does nothing but search; default: no. */
  readonly aside?: boolean;
}

/** Of {@link VectorSet.scoreColumns}: the step, the rows to search, and what ends it sooner. */
type ColumnQuery = Pick<NearestOptions, "rows" | "signal"> &
  Pick<RunContext, "exchange"> & { readonly step: SearchStep };

/**
 * An open vector set. A search finds candidates by an HNSW graph, where the certificate says so, or by a scan of the codes of the
 * query's heaviest dimensions, scores them by their signed bytes, and where the set's own vectors are floats, scores those by these
 * that may be among the best. A set without codes scores all rows.
 */
export class VectorSet implements NearestSearch {
  readonly isAside = false;
  /**
   * Resolves when what is kept in memory has been read; a search waits for it, and fails where it failed.
   * @throws RangeError if the file is too short
   */
  readonly loaded: Promise<void>;
  private state: "loading" | "loaded" | "closed" = "loading";

  private constructor(
    private readonly vectors: Vectors,
    private readonly bytes: ByteScores,
    /** Where the set's own vectors are floats. */
    private readonly floats: FloatScores | undefined,
    private readonly deviation: Float32Array,
    private readonly columns: ColumnScan | undefined,
    private readonly graph: OpenGraph | undefined,
    private readonly files: SetFiles,
    private readonly options: Required<Omit<VectorSetOptions, "byGraph" | "mate">>,
    help: LoadHelp | undefined,
  ) {
    const into = [options.kept > 0 ? bytes : undefined, columns, graph].filter((one) => one !== undefined);
    this.loaded = loadTogether(files.bytes, into, help);
    // A failed load rejects the first search, not the process.
    this.loaded.then(
      () => {
        if (this.state === "loading") this.state = "loaded";
      },
      () => undefined,
    );
  }

  /**
   * Opens the set in a folder.
   * @throws SearchError if the set is incomplete.
   */
  static open(dir: string, manifest: VectorSetManifest, options: VectorSetOptions = {}): Promise<VectorSet> {
    return VectorSet.join([{ dir, manifest }], options);
  }

  /**
   * Opens sets in several folders as one, whose rows follow one another: its codes are made with the statistics of the largest set.
   * @param sets at least one, all of floats or none; only one alone is searched by a graph
   * @throws SearchError if one of them is incomplete.
   */
  static async join(sets: readonly SetFolder[], options: VectorSetOptions = {}): Promise<VectorSet> {
    const { plan = new SearchPlan(), queue = new EventLoopQueue(), aside = false, hinted = true } = options;
    const { dir, manifest } = sets[largestOf(sets)]!;
    const { codes, quantizer = "uniform" } = manifest;
    const byGraph = sets.length === 1 && manifest.graph === true && (options.byGraph ?? plan.usesGraph);
    const mate = codes && !byGraph ? options.mate : undefined;
    const files = joinSetFiles(sets);
    const { bytes, floats, mean, deviation } = files;
    const { count } = bytes;
    const kept = Math.min(count, options.kept ?? count);
    try {
      const scores = await ByteScores.create(bytes, kept, mate !== undefined);
      const columns =
        codes && !byGraph
          ? await ColumnScan.create(count, { mean, deviation }, QUANTIZERS[quantizer], mate)
          : undefined;
      return new VectorSet(
        floats ?? bytes,
        scores,
        floats === undefined ? undefined : await FloatScores.create(floats),
        deviation,
        columns,
        byGraph ? await loadGraph(dir, { mean, deviation }, quantizer) : undefined,
        files,
        { plan, queue, kept, aside, hinted },
        helpWith(sets, scores, columns, mate),
      );
    } catch (error) {
      files.close();
      throw error;
    }
  }

  /** Number of vectors. */
  get count(): number {
    return this.vectors.count;
  }

  /** Numbers of a vector that are stored. */
  get width(): number {
    return this.files.bytes.width;
  }

  /** Whether candidates are found by a graph. */
  get hasGraph(): boolean {
    return this.graph !== undefined;
  }

  get takesHints(): boolean {
    return this.hasGraph && this.options.hinted;
  }

  get exchanges(): boolean {
    return this.columns !== undefined;
  }

  /** Whether exact scores are computed from memory alone. */
  get scoresInMemory(): boolean {
    return this.options.kept === this.count && this.floats === undefined;
  }

  /**
   * Returns the rows of largest inner product with the query (1536 dimensions), best first, at most `limit`;
   * ties by row number.
   */
  async nearest(query: Float32Array, limit: number, options: NearestOptions = {}): Promise<Scored> {
    const { queue, aside } = this.options;
    const exchange = options.exchange && new ScoreExchange(options.exchange, aside ? undefined : queue);
    try {
      return await this.search(query, limit, options, exchange);
    } finally {
      exchange?.leave();
    }
  }

  private async search(
    query: Float32Array,
    limit: number,
    options: NearestOptions,
    exchange: ScoreExchange | undefined,
  ): Promise<Scored> {
    const { rows, signal, hints, exact = false } = options;
    const context = { queue: this.options.queue, signal };
    await this.loaded;
    const available = rows === undefined ? this.count : countOf(rows);
    const step = options.step ?? this.options.plan.step(available / Math.max(1, this.count), this.width);
    const all = exact || step === undefined || available <= limit || this.scoresAll(available, step);
    const deep = all ? undefined : { ...step, depth: Math.max(limit, step.depth) };
    const { floats } = this;
    // Scores by bytes only choose which rows are scored by floats: the two kinds are never in one list.
    const listedMost = floats === undefined ? limit : roomOf(limit);
    if (deep !== undefined && this.columns !== undefined && deep.run > 0 && deep.depth < available) {
      const { found } = await this.scoreColumns(query, listedMost, { step: deep, rows, signal, exchange });
      return floats === undefined ? found : (await ofListed(floats, query, found, limit, context)).found;
    }
    exchange?.leave();
    const candidates =
      deep === undefined
        ? this.listed(rows)
        : await this.candidates(query, deep, { among: rows, hints, signal });
    if (floats === undefined) return bestOf(this.bytes, query, candidates, limit, context);
    if (exact || candidates.length <= listedMost) return bestOf(floats, query, candidates, limit, context);
    const listed = await bestOf(this.bytes, query, candidates, listedMost, context);
    const { found, isWhole } = await ofListed(floats, query, listed, limit, context);
    return isWhole ? found : bestOf(floats, query, candidates, limit, context);
  }

  /**
   * Scans columns, and scores what they find run by run: at most `limit` rows, best first, and what was scored. Only once the set has
   * {@link VectorSet.loaded}.
   */
  async scoreColumns(
    query: Float32Array,
    limit: number,
    { step, rows, signal, exchange }: ColumnQuery,
  ): Promise<ScoredRuns> {
    const { depth, run, patience = 1 } = step;
    const ranked = this.columns!.ranked(this.weights(query), widthOf(step), depth, rows);
    await this.options.queue.next();
    const context = { queue: this.options.queue, signal, exchange };
    return scoreRuns(this.bytes, query, ranked, limit, { run, patience }, context);
  }

  /** Whether this many rows are all scored, because that takes no longer than a step, or than the least of all. */
  scoresAll(rows: number, step?: SearchStep): boolean {
    if (this.columns === undefined && this.graph === undefined) return true;
    const { scans, depths, run, graphDepths } = SEARCH_DEFAULTS.vector;
    const least =
      step ??
      (this.hasGraph
        ? { by: "graph", breadth: 0, depth: graphDepths[0], run: 0 }
        : { by: "columns", ...scans[0], depth: depths[0], run });
    return exactCost(rows, this.count, this.width) <= stepCost(least, this.count, this.width);
  }

  /** Each row's sum of codes over the dimensions in which the query weighs most; valid until the next search. Only once the set has {@link VectorSet.loaded}. */
  columnSums(query: Float32Array, width: ScanWidth): Uint16Array {
    return this.columns!.sums(this.weights(query), width);
  }

  /** What the graph finds, ascending. Only once the set has {@link VectorSet.loaded}. */
  graphCandidates(query: Float32Array, depth: number, { among, ...rest }: CodeQuery): Promise<Uint32Array> {
    const { queue } = this.options;
    const part = among?.length === this.count ? undefined : among;
    return this.graph!.nearest(query, depth, queue, { ...rest, among: part });
  }

  /** Reads the vector of a row, 1536 numbers: from memory, where it is there. */
  vector(row: number): Float32Array {
    const inMemory = this.state === "loaded" && this.floats === undefined;
    return (inMemory ? this.bytes.vector(row) : undefined) ?? this.vectors.read(row);
  }

  /** Calls `offer` with the exact score of each row, synchronously. */
  score(query: Float32Array, rows: Uint32Array, offer: (row: number, score: number) => void): void {
    (this.floats ?? this.bytes).score(query, rows, offer);
  }

  /** Reads the vectors of `count` rows from `first` on into `into`, which holds `count` × 1536 numbers. */
  readRun(first: number, count: number, into: Float32Array): void {
    this.vectors.readRun(first, count, into);
  }

  /** Closes the files of vectors. */
  close(): void {
    this.state = "closed";
    this.files.close();
  }

  private async candidates(
    query: Float32Array,
    step: SearchStep,
    { among: rows, ...rest }: Omit<CodeQuery, "among"> & { readonly among: AmongRows | undefined },
  ): Promise<Uint32Array> {
    if ((rows === undefined ? this.count : countOf(rows)) <= step.depth) return this.listed(rows);
    if (this.graph !== undefined)
      return this.graphCandidates(query, step.depth, { ...rest, among: rows && listOf(rows) });
    if (this.columns === undefined) return this.listed(rows);
    const width = step.by === "graph" ? SEARCH_DEFAULTS.vector.scans.at(-1)! : widthOf(step);
    const found = this.columns.nearest(this.weights(query), width, step.depth, rows);
    await this.options.queue.next();
    return found;
  }

  /** The query times the deviation of each dimension. */
  private weights(query: Float32Array): Float64Array {
    const weights = new Float64Array(this.deviation.length);
    for (let i = 0; i < weights.length; i += 1) weights[i] = this.deviation[i]! * query[i]!;
    return weights;
  }

  /** The numbers of rows, ascending; default: all. */
  private listed(among: AmongRows | undefined): Uint32Array {
    if (among !== undefined) return listOf(among);
    const rows = new Uint32Array(this.count);
    for (let row = 0; row < rows.length; row += 1) rows[row] = row;
    return rows;
  }
}
