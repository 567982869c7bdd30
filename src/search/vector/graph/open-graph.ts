import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { SEARCH_DEFAULTS } from "../../defaults.js";
import type { EventLoopQueue } from "../../event-loop-queue.js";
import type { QuantizerName } from "../codes/quantizer.js";
import { RowScan } from "../codes/row-scan.js";
import type { StoredVectors } from "../load-vectors.js";
import type { SetStatistics } from "../set-statistics.js";
import { VECTOR_FILES } from "../vector-files.js";
import { BeamSearch } from "./beam-search.js";
import { readGraph, type StoredGraph } from "./graph-file.js";
import { twinsByNode } from "./graph-nodes.js";

const NO_TWINS: readonly number[] = [];
const { graph } = SEARCH_DEFAULTS.vector;

/** What a search among a set's codes is given. */
export interface CodeQuery {
  /** Rows to search, ascending; default: all. */
  readonly among?: Uint32Array;
  /** Rows that are likely near, from which the graph is searched too. */
  readonly hints?: Uint32Array;
  readonly signal?: AbortSignal;
}

/** The graph of a set, and the codes of its rows in memory, which it has to get before the first search. */
export class OpenGraph implements StoredVectors {
  private readonly search: BeamSearch;
  private readonly nodeOfTwin = new Map<number, number>();

  private constructor(
    private readonly rows: RowScan,
    private readonly stored: StoredGraph,
    private readonly twins: ReadonlyMap<number, readonly number[]>,
  ) {
    this.search = new BeamSearch(rows.codes, stored.links);
    for (const [node, equal] of twins) for (const row of equal) this.nodeOfTwin.set(row, node);
  }

  /**
   * Reads the graph in a set's folder and makes room for the codes.
   * @throws SearchError `vectors_unreadable`; RangeError if there is not enough memory
   */
  static async open(
    dir: string,
    statistics: Pick<SetStatistics, "mean" | "deviation">,
    quantizer: QuantizerName,
  ): Promise<OpenGraph> {
    const stored = await readGraph(join(dir, VECTOR_FILES.graph));
    const rows = await RowScan.create(stored.links.starts.length, statistics, quantizer);
    return new OpenGraph(rows, stored, twinsByNode(await readTwins(dir)));
  }

  put(stored: Uint8Array, first: number, width: number): void {
    this.rows.put(stored, first, width);
  }

  /** Whether following links among so many rows that pass takes less than to score all of them. */
  leads(among: number, breadth: number): boolean {
    const { count } = this.rows.codes;
    return (breadth * graph.visits * count) / among < among;
  }

  /**
   * Finds rows that are likely nearest, by the graph or, where few rows pass, one after another: at least `breadth`, if there are so
   * many that can be found, ascending.
   */
  async nearest(
    query: Float32Array,
    breadth: number,
    queue: EventLoopQueue,
    { among, hints, signal }: CodeQuery,
  ): Promise<Uint32Array> {
    if (among !== undefined && !this.leads(among.length, breadth))
      return this.rows.best(query, among, breadth, queue, signal);
    const { codes } = this.rows;
    codes.setQuery(this.rows.weightsOf(query));
    const bits = among === undefined ? undefined : bitsOf(among, codes.count);
    const passes = (row: number) => bits === undefined || (bits[row >> 5]! >>> (row & 31)) % 2 === 1;
    const twinsOf = (node: number) => this.twins.get(node) ?? NO_TWINS;
    const accept =
      bits === undefined ? undefined : (node: number) => passes(node) || twinsOf(node).some(passes);
    const nodes = hints?.map((row) => this.nodeOfTwin.get(row) ?? row);
    const entries = nodes === undefined ? [this.stored.entries] : [nodes, this.stored.entries];
    this.search.run(codes.weights, entries, breadth, accept);
    const found: number[] = [];
    for (const node of this.search.found.rows) {
      if (passes(node)) found.push(node);
      for (const twin of twinsOf(node)) if (passes(twin)) found.push(twin);
    }
    await queue.next(signal);
    // What has no links, as zeros have not, is not found; then all are scored.
    if (found.length < Math.min(breadth, among?.length ?? codes.count))
      return this.rows.best(query, among ?? this.allRows(), breadth, queue, signal);
    return Uint32Array.from(found).sort();
  }

  private allRows(): Uint32Array {
    return Uint32Array.from({ length: this.rows.codes.count }, (_, row) => row);
  }
}

/** A bit for each of `size` rows, set for those given. */
function bitsOf(rows: Uint32Array, size: number): Uint32Array {
  const bits = new Uint32Array(Math.ceil(size / 32));
  for (const row of rows) bits[row >> 5]! |= 1 << (row & 31);
  return bits;
}

async function readTwins(dir: string): Promise<Uint32Array> {
  const bytes = await readFile(join(dir, VECTOR_FILES.graphTwins));
  return new Uint32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}
