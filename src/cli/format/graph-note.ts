import type { Output } from "../context.js";
import { style } from "./terminal-style.js";

/** Says, where hnswlib-node could not be compiled, what that means and how to mend it; otherwise nothing. */
export async function printGraphNote(err: Output): Promise<void> {
  const { GRAPH_REMEDY, loadGraphLibrary } = await import("../../search/vector/graph/hnsw.js");
  const library = await loadGraphLibrary();
  if (library.available) return;
  const note = `Note: hnswlib-node cannot be loaded, so there are no graphs: vectors are scanned, with the same answers.\n  To mend it, ${GRAPH_REMEDY}, then install with --rebuild.\n`;
  err.write(style(err, "yellow", note));
}
