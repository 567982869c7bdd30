import { SEARCH_DEFAULTS } from "../../defaults.js";
import { codeBytes, deskBytes, headBytes } from "../codes/row-codes.js";

const { graph } = SEARCH_DEFAULTS.vector;
/** Places of integers before everything else: two of the barrier's, how many nodes are linked, and what parts take next. */
export const COUNTERS = { barrier: 0, linked: 2, nextNode: 3, nextShare: 4, all: 5 } as const;
/** Their bytes, and what is left for alignment. */
const COUNTER_BYTES = 64;

/** Most links of a row. */
export const MOST_LINKS = 2 * graph.links;

/** Where a graph under construction stands in memory that threads share, as byte addresses. */
export interface GraphRoom {
  /** Rows of the set, its dimensions, and nodes of the graph. */
  readonly count: number;
  readonly dims: number;
  readonly nodes: number;
  /** Threads that build it. */
  readonly parts: number;
  readonly head: number;
  /** Of each part: its desk, then the weights of the links that it chose so far. */
  readonly desks: number;
  readonly deskStride: number;
  /** Weights of each node of a batch. */
  readonly batch: number;
  /** Rows with nodes, in the order in which they are linked; of each row, the number of links, and its inner product with the mean. */
  readonly order: number;
  readonly ends: number;
  readonly means: number;
  /** Of each row, room for its links, and how near they are. */
  readonly links: number;
  readonly nearness: number;
  readonly codes: number;
  /** All of it. */
  readonly bytes: number;
}

/** Lays the room out. */
export function graphRoom(count: number, dims: number, nodes: number, parts: number): GraphRoom {
  let next = COUNTER_BYTES;
  const take = (bytes: number) => {
    const at = next;
    next += Math.ceil(bytes / 16) * 16;
    return at;
  };
  const deskStride = deskBytes(dims) + graph.links * dims * 2;
  return {
    count,
    dims,
    nodes,
    parts,
    head: take(headBytes(dims)),
    desks: take(parts * deskStride),
    deskStride,
    batch: take(graph.batch * dims * 2),
    order: take(nodes * 4),
    ends: take(count * 4),
    means: take(count * 4),
    links: take(count * MOST_LINKS * 4),
    nearness: take(count * MOST_LINKS * 4),
    codes: take(count * codeBytes(dims)),
    bytes: next,
  };
}
