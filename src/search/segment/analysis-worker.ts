import { parentPort, workerData } from "node:worker_threads";
import { Analyzer, type DocumentTexts } from "./analyzer.js";

const port = parentPort!;
const { withFeatures } = workerData as { readonly withFeatures: boolean };
const analyzer = new Analyzer(withFeatures);
let last: Promise<void> = Promise.resolve();

port.on("message", (documents: readonly DocumentTexts[]) => {
  // One after another: a chunk is complete before the next begins. What one throws ends the thread, which tells.
  last = last.then(async () => {
    const chunk = await analyzer.analyse(documents);
    const arrays = [...Object.values(chunk.keyword), ...Object.values(chunk.features ?? {})];
    port.postMessage(
      chunk,
      arrays.filter(ArrayBuffer.isView).map(({ buffer }) => buffer as ArrayBuffer),
    );
  });
});
