import type { QuantizerName } from "../codes/quantizer.js";
import type { OpenGraph } from "./open-graph.js";

/**
 * Opens the graph of a set, and loads the code of graphs first, which most sets lack.
 * @throws SearchError if it is incomplete.
 */
export async function loadGraph(
  dir: string,
  statistics: { readonly mean: Float32Array; readonly deviation: Float32Array },
  quantizer: QuantizerName,
): Promise<OpenGraph> {
  const { OpenGraph } = await import("./open-graph.js");
  return OpenGraph.open(dir, statistics, quantizer);
}
