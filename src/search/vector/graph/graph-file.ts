import { readFile, writeFile } from "node:fs/promises";
import { SearchError } from "../../../contract/errors.js";
import type { Links } from "./beam-search.js";

/** A graph at rest: which rows a search begins with, and the links of each row. */
export interface StoredGraph {
  readonly entries: Uint32Array;
  readonly links: Links;
}

/** Bytes of the numbers before the links: of rows, of entries, of links. */
const HEAD = 12;
const MORE = 0x80;

/**
 * Writes a graph: numbers of rows, entries and links; the entries, as 32-bit integers; then of each row how many links it has, one
 * byte, and these ascending as differences, seven bits a byte.
 */
export async function writeGraph(
  path: string,
  { entries, links: { starts, ends, ids } }: StoredGraph,
): Promise<void> {
  let total = 0;
  for (let row = 0; row < starts.length; row += 1) total += ends[row]! - starts[row]!;
  const bytes = new Uint8Array(HEAD + entries.length * 4 + starts.length + total * 5);
  const head = new DataView(bytes.buffer);
  for (const [i, number] of [starts.length, entries.length, total, ...entries].entries())
    head.setUint32(i * 4, number, true);
  let at = HEAD + entries.length * 4;
  for (let row = 0; row < starts.length; row += 1) {
    const sorted = ids.slice(starts[row]!, ends[row]!).sort();
    bytes[at++] = sorted.length;
    let last = 0;
    for (const id of sorted) {
      let rest = id - last;
      last = id;
      for (; rest >= MORE; rest >>>= 7) bytes[at++] = (rest & (MORE - 1)) | MORE;
      bytes[at++] = rest;
    }
  }
  await writeFile(path, bytes.subarray(0, at));
}

/**
 * Reads a graph.
 * @throws SearchError `vectors_unreadable` if the file is not whole, or names rows that there are not.
 */
export async function readGraph(path: string): Promise<StoredGraph> {
  const bytes = await readFile(path);
  const head = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const damaged = () =>
    new SearchError("vectors_unreadable", "the graph of the search index cannot be read", {
      value: path,
      remedy: "rebuild the index with `mirrorlake install <lake>/slices --lake <lake> --rebuild`",
    });
  if (bytes.length < HEAD) throw damaged();
  const [rows, count, total] = [0, 4, 8].map((place) => head.getUint32(place, true)) as [
    number,
    number,
    number,
  ];
  if (HEAD + count * 4 + rows + total > bytes.length) throw damaged();
  const entries = Uint32Array.from({ length: count }, (_, i) => head.getUint32(HEAD + i * 4, true));
  const offsets = new Uint32Array(rows + 1);
  const ids = new Uint32Array(total);
  let at = HEAD + count * 4;
  let next = 0;
  for (let row = 0; row < rows; row += 1) {
    let links = bytes[at++] ?? 0;
    if (next + links > total) throw damaged();
    let id = 0;
    for (; links > 0; links -= 1) {
      let byte = bytes[at++]!;
      let step = byte & (MORE - 1);
      for (let shift = 7; byte >= MORE; shift += 7) {
        byte = bytes[at++]!;
        step |= (byte & (MORE - 1)) << shift;
      }
      id += step;
      if (!(id < rows)) throw damaged();
      ids[next++] = id;
    }
    offsets[row + 1] = next;
  }
  if (next !== total || at !== bytes.length || entries.some((row) => row >= rows)) throw damaged();
  return { entries, links: { starts: offsets.subarray(0, rows), ends: offsets.subarray(1), ids } };
}
