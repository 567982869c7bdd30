import { hash } from "node:crypto";
import { byteVectorOf } from "../byte-vectors.js";

/**
 * Chooses which rows get a node of a graph: the first of each vector. Equal ones are its twins, found with it, since a graph of
 * thousands of equal nodes leads nowhere else; zeros have no neighbours and get none.
 */
export class GraphNodes {
  private readonly nodes: number[] = [];
  private readonly first = new Map<string, number>();
  private readonly pairs: [node: number, row: number][] = [];

  /** Takes vectors of `width` numbers as they are stored, from row `first` on. */
  put(stored: Uint8Array, first: number, width: number): void {
    const own = byteVectorOf(width);
    for (let at = 0, row = first; at < stored.length; at += own, row += 1)
      this.offer(row, stored.subarray(at, at + own), width);
  }

  /** Rows with a node, ascending. */
  get rows(): Uint32Array {
    return Uint32Array.from(this.nodes);
  }

  /** Twins as pairs of a node's row and their own, ascending. */
  get twins(): Uint32Array {
    return Uint32Array.from(this.pairs.sort((a, b) => a[0] - b[0] || a[1] - b[1]).flat());
  }

  private offer(row: number, vector: Uint8Array, width: number): void {
    // The scale of zeros is zero.
    if (vector.subarray(width).every((byte) => byte === 0)) return;
    const key = hash("sha256", vector, "base64");
    const node = this.first.get(key);
    if (node !== undefined) {
      this.pairs.push([node, row]);
      return;
    }
    this.first.set(key, row);
    this.nodes.push(row);
  }
}

/** Looks twins up by their node's row, in the numbers of {@link GraphNodes.twins}. */
export function twinsByNode(pairs: Uint32Array): ReadonlyMap<number, readonly number[]> {
  const twins = new Map<number, number[]>();
  for (let i = 0; i < pairs.length; i += 2) {
    const known = twins.get(pairs[i]!);
    if (known === undefined) twins.set(pairs[i]!, [pairs[i + 1]!]);
    else known.push(pairs[i + 1]!);
  }
  return twins;
}
