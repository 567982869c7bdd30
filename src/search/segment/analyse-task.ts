import { Moved } from "../../threads/moved.js";
import { type AnalysedChunk, Analyzer, type DocumentTexts, type Extracts } from "./analyzer.js";

/** Creates a task that analyses chunks of documents, with its own analyzer. */
export function analyseTask(
  extracts: Extracts,
): (documents: readonly DocumentTexts[]) => Promise<Moved<AnalysedChunk>> {
  const analyzer = new Analyzer(extracts);
  return async (documents) => {
    const chunk = await analyzer.analyse(documents);
    const arrays = [...Object.values(chunk.keyword), ...Object.values(chunk.features ?? {})];
    return new Moved(
      chunk,
      arrays.filter(ArrayBuffer.isView).map(({ buffer }) => buffer as ArrayBuffer),
    );
  };
}
