import { hash } from "node:crypto";

/**
 * Chooses which rows get a node of a graph: the first of each vector. Equal ones are its twins, found with it, since a graph of
 * thousands of equal nodes leads nowhere else; zeros have no neighbours and get none.
 */
export class GraphNodes {
  private readonly nodes: number[] = [];
  private readonly first = new Map<string, number>();
  private readonly pairs: [node: number, row: number][] = [];

  /** Offers the next row, by its reduced vector; returns whether it gets a node. */
  offer(row: number, vector: Float32Array): boolean {
    if (vector.every((value) => value === 0)) return false;
    const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
    const key = hash("sha256", bytes, "base64");
    const node = this.first.get(key);
    if (node !== undefined) {
      this.pairs.push([node, row]);
      return false;
    }
    this.first.set(key, row);
    this.nodes.push(row);
    return true;
  }

  /** Rows with a node, ascending. */
  get rows(): Uint32Array {
    return Uint32Array.from(this.nodes);
  }

  /** Twins as pairs of a node's row and their own, ascending. */
  get twins(): Uint32Array {
    return Uint32Array.from(this.pairs.sort((a, b) => a[0] - b[0] || a[1] - b[1]).flat());
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
