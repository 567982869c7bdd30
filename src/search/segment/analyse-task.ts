import { Moved } from "../../threads/moved.js";
import { type AnalysedChunk, Analyzer, type DocumentTexts } from "./analyzer.js";

/** A task that analyses chunks of documents with an analyzer of its own. */
export function analyseTask(
  withFeatures: boolean,
): (documents: readonly DocumentTexts[]) => Promise<Moved<AnalysedChunk>> {
  const analyzer = new Analyzer(withFeatures);
  return async (documents) => {
    const chunk = await analyzer.analyse(documents);
    const arrays = [...Object.values(chunk.keyword), ...Object.values(chunk.features ?? {})];
    return new Moved(
      chunk,
      arrays.filter(ArrayBuffer.isView).map(({ buffer }) => buffer as ArrayBuffer),
    );
  };
}
