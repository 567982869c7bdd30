import type { Output } from "../context.js";
import { style } from "./terminal-style.js";

/** A note on what it means that hnswlib-node could not be compiled and how to repair that; empty where it is there. */
export async function printGraphNote(err: Output): Promise<void> {
  const { GRAPH_REMEDY, loadGraphLibrary } = await import("../../search/vector/graph/hnsw.js");
  const library = await loadGraphLibrary();
  if (library.available) return;
  const note = `Note: hnswlib-node cannot be loaded, so there are no graphs: vectors are scanned, with the same answers.\n  To repair this, ${GRAPH_REMEDY}, then install with --rebuild.\n`;
  err.write(style(err, "yellow", note));
}
