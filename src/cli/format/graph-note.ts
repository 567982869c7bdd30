import type { Output } from "../context.js";
import { style } from "./terminal-style.js";

/** Prints a note with the remedy if hnswlib-node cannot be loaded; else nothing. */
export async function printGraphNote(err: Output): Promise<void> {
  const { GRAPH_REMEDY, loadGraphLibrary } = await import("../../search/vector/graph/hnsw.js");
  const library = await loadGraphLibrary();
  if (library.available) return;
  const note = `Note: hnswlib-node cannot be loaded, so no graphs are built. Vectors are scanned, with the same answers.\n  To repair this, ${GRAPH_REMEDY}, then install with --rebuild.\n`;
  err.write(style(err, "yellow", note));
}
