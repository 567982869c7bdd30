import { SEARCH_DEFAULTS } from "../../defaults.js";
import type { CodeKernels } from "../codes/code-kernels.js";
import { deskBytes, RowCodes } from "../codes/row-codes.js";
import { BeamSearch } from "./beam-search.js";
import { COUNTERS, type GraphRoom, MOST_LINKS } from "./graph-room.js";

const { graph } = SEARCH_DEFAULTS.vector;
/** Shares of the rows that are linked back, each by one part. */
const SHARES = 16;

/**
 * One thread's part in the construction of a graph (Malkov and Yashunin 2018), in memory that threads share. Nodes are linked batch
 * by batch: those of one look for neighbours in the graph as it was before it, side by side, then rows that became neighbours link
 * back, each by one thread. So the graph does not depend on the number of threads (as in ParlayANN, Manohar et al., PPoPP 2024).
 *
 * The layers above the base are one: the first {@link SEARCH_DEFAULTS}.vector.graph.entries nodes, which a search scores all.
 * Descending greedily misses groups of rows that few links lead to, as languages are in a lake of many.
 */
export class GraphBuilder {
  readonly codes: RowCodes;
  private readonly counters: Int32Array;
  private readonly order: Uint32Array;
  private readonly starts: Uint32Array;
  private readonly ends: Uint32Array;
  private readonly ids: Uint32Array;
  private readonly nearness: Float32Array;
  private readonly means: Float32Array;
  private readonly search: BeamSearch;
  /** Address of the weights of links that are chosen. */
  private readonly chosen: number;

  /** @param unit of the weights of rows */
  constructor(
    kernels: CodeKernels,
    private readonly room: GraphRoom,
    private readonly part: number,
    private readonly unit: number,
  ) {
    const { buffer } = kernels.memory;
    const { count, dims, nodes } = room;
    const desk = room.desks + part * room.deskStride;
    this.codes = new RowCodes(kernels, count, dims, { head: room.head, desk, codes: room.codes });
    this.chosen = desk + deskBytes(dims);
    this.counters = new Int32Array(buffer, 0, COUNTERS.all);
    this.order = new Uint32Array(buffer, room.order, nodes);
    this.ends = new Uint32Array(buffer, room.ends, count);
    this.means = new Float32Array(buffer, room.means, count);
    this.ids = new Uint32Array(buffer, room.links, count * MOST_LINKS);
    this.nearness = new Float32Array(buffer, room.nearness, count * MOST_LINKS);
    this.starts = Uint32Array.from({ length: count }, (_, row) => row * MOST_LINKS);
    this.search = new BeamSearch(this.codes, { starts: this.starts, ends: this.ends, ids: this.ids });
  }

  /** The number of nodes of the batch that follows `done` nodes. */
  batchSize(done: number): number {
    return Math.min(graph.batch, Math.max(1, done >> graph.growth), this.room.nodes - done);
  }

  /** Finds neighbours of nodes of a batch that no other part takes, and links the nodes to them. */
  find(done: number, size: number): void {
    const { order, counters } = this;
    const entries = order.subarray(0, Math.min(done, graph.firstEntries));
    if (this.part === 0) Atomics.store(counters, COUNTERS.nextShare, 0);
    for (
      let i = Atomics.add(counters, COUNTERS.nextNode, 1);
      i < size;
      i = Atomics.add(counters, COUNTERS.nextNode, 1)
    ) {
      const row = order[done + i]!;
      const weights = this.weightsAt(i);
      this.codes.weighRow(row, weights);
      if (done === 0) continue;
      this.search.run(weights, [entries], graph.construction);
      this.linkTo(row);
    }
  }

  /** Links rows that no other part takes back to the nodes of a batch. */
  linkBack(done: number, size: number): void {
    const { counters } = this;
    if (this.part === 0) Atomics.store(counters, COUNTERS.nextNode, 0);
    for (let share = 0; share < SHARES; ) {
      share = Atomics.add(counters, COUNTERS.nextShare, 1);
      if (share < SHARES) this.linkShare(done, size, share);
    }
  }

  private linkShare(done: number, size: number, share: number): void {
    const { order, starts, ends, ids, nearness } = this;
    for (let i = 0; i < size; i += 1) {
      const row = order[done + i]!;
      for (let at = starts[row]!; at < ends[row]!; at += 1)
        if (ids[at]! % SHARES === share) this.add(ids[at]!, row, nearness[at]!, this.weightsAt(i));
    }
  }

  /**
   * Links the node to the nearest of what was found that are nearer to it than to a nearer link, then, while there is room, to the
   * nearest others.
   */
  private linkTo(row: number): void {
    const { codes, starts, ends, ids, nearness, means, unit } = this;
    const { found } = this.search;
    const count = found.size;
    const rows = new Uint32Array(count);
    const near = new Float64Array(count);
    // The heap gives the farthest first.
    for (let i = count - 1; i >= 0; i -= 1) {
      rows[i] = found.first;
      near[i] = means[row]! + unit * found.least;
      found.pop();
    }
    const start = starts[row]!;
    let links = 0;
    const covered = new Uint8Array(count);
    for (let i = 0; i < count && links < graph.links; i += 1) {
      for (let k = 0; k < links && covered[i] === 0; k += 1) {
        codes.rows[0] = rows[i]!;
        codes.score(1, this.chosenAt(k));
        if (means[ids[start + k]!]! + unit * codes.sums[0]! > near[i]!) covered[i] = 1;
      }
      if (covered[i] === 1) continue;
      codes.weighRow(rows[i]!, this.chosenAt(links));
      ids[start + links] = rows[i]!;
      nearness[start + links] = near[i]!;
      links += 1;
    }
    for (let i = 0; i < count && links < graph.links; i += 1) {
      if (covered[i] === 0) continue;
      ids[start + links] = rows[i]!;
      nearness[start + links] = near[i]!;
      links += 1;
    }
    ends[row] = start + links;
  }

  /**
   * Links `row` to a new node. A row that has all its links keeps them where one that is nearer has the node near it; else the node
   * takes the place of the farthest that is nearer to the node, or of the farthest.
   */
  private add(row: number, node: number, near: number, weights: number): void {
    const { codes, starts, ends, ids, nearness, means, unit } = this;
    const start = starts[row]!;
    const end = ends[row]!;
    if (end - start < MOST_LINKS) {
      ids[end] = node;
      nearness[end] = near;
      ends[row] = end + 1;
      return;
    }
    for (let k = 0; k < MOST_LINKS; k += 1) codes.rows[k] = ids[start + k]!;
    codes.score(MOST_LINKS, weights);
    let farthest = start;
    let spared: number | undefined;
    for (let at = start; at < end; at += 1) {
      const between = means[node]! + unit * codes.sums[at - start]!;
      const of = nearness[at]!;
      if (of >= near && between > near) return;
      if (of < near && between > of && (spared === undefined || of < nearness[spared]!)) spared = at;
      if (of < nearness[farthest]!) farthest = at;
    }
    const at = spared ?? farthest;
    if (nearness[at]! >= near) return;
    ids[at] = node;
    nearness[at] = near;
  }

  private weightsAt(i: number): number {
    return this.room.batch + i * this.room.dims * 2;
  }

  private chosenAt(k: number): number {
    return this.chosen + k * this.room.dims * 2;
  }
}
