import { rm, truncate } from "node:fs/promises";
import { join } from "node:path";
import { SEARCH_DEFAULTS } from "../defaults.js";
import { runTasks } from "../run-tasks.js";
import { chooseVocabulary } from "./choose-vocabulary.js";
import type { FeatureChunk } from "./chunk-features.js";
import { type EmbedTask, embedRange } from "./embed-range.js";
import { FeatureCounts } from "./feature-counts.js";
import type { FeatureLog } from "./feature-log.js";
import { fitReflective } from "./fit.js";
import { MODEL_FILES, type ModelManifest, modelId, readModelManifest } from "./model-manifest.js";
import { Vocabulary } from "./vocabulary.js";
import { WEIGHTED_STRIDE, type WeightedLog, writeWeightedLog } from "./weighted-log.js";

const { dimensions } = SEARCH_DEFAULTS;
const { threadsFrom } = SEARCH_DEFAULTS.embed;
/** Documents that a thread embeds at a time: each time it reads the model's vectors, hundreds of megabytes. */
const RANGE = 65_536;

/** A segment whose documents are to be embedded. */
export interface SegmentToEmbed {
  readonly writer: {
    readonly dir: string;
    readonly log: FeatureLog | undefined;
    readonly vectorsPath: string;
  };
}

/** The default embedder while an index is built: takes the features of documents, is fitted to them, embeds them. */
export class LocalModel {
  private readonly languages = new Map<string, { number: number; documents: number }>();
  private manifest: ModelManifest | undefined;

  private constructor(
    private readonly dir: string,
    private counts: FeatureCounts | undefined,
    private readonly threads: number | undefined,
  ) {}

  /** A model that will be fitted to the documents it is told of, in a folder that exists. */
  static toFit(dir: string, threads?: number): LocalModel {
    return new LocalModel(dir, new FeatureCounts(), threads);
  }

  /** A model that was fitted before. */
  static async open(dir: string, threads?: number): Promise<LocalModel> {
    const model = new LocalModel(dir, undefined, threads);
    model.manifest = await readModelManifest(dir);
    return model;
  }

  /** Name of the fitted model. */
  get id(): string {
    return modelId(this.fit);
  }

  /** What it was fitted to. Throws `RangeError` before that. */
  get fit(): ModelManifest {
    if (this.manifest === undefined) throw new RangeError("the embedder is not fitted yet");
    return this.manifest;
  }

  /** Takes note of a document's language (primary subtag). Returns the language's number. */
  readonly registerLanguage = (language: string): number => {
    let entry = this.languages.get(language);
    if (entry === undefined) {
      entry = { number: this.languages.size, documents: 0 };
      this.languages.set(language, entry);
    }
    entry.documents += 1;
    return entry.number;
  };

  /** Takes note of the features of documents. */
  readonly registerFeatures = (chunk: FeatureChunk): void => this.counts?.add(chunk);

  /** Fits the model, where it is not yet, and embeds the documents of the segments, whose vector files exist. */
  async embed(
    segments: readonly SegmentToEmbed[],
    options: {
      readonly onProgress?: (progress: { phase: "fit" | "embed"; documents: number }) => void;
      readonly signal?: AbortSignal;
    },
  ): Promise<void> {
    const { signal, onProgress } = options;
    if (this.manifest === undefined) onProgress?.({ phase: "fit", documents: 0 });
    const logs = segments.map(({ writer }) => writer.log!);
    const documents = logs.reduce((sum, log) => sum + log.documents, 0);
    const shared = {
      threads: documents < threadsFrom ? 0 : (this.threads ?? SEARCH_DEFAULTS.threads),
      ...(signal === undefined ? {} : { signal }),
    };
    const weighted: WeightedLog[] = [];
    const paths = segments.map(({ writer }) => join(writer.dir, "weights.tmp"));
    try {
      const vocabulary =
        this.counts === undefined
          ? await Vocabulary.read(join(this.dir, MODEL_FILES.vocabulary))
          : chooseVocabulary(
              logs,
              this.counts,
              [...this.languages.values()].map((language) => language.documents),
            );
      this.counts = undefined; // hundreds of megabytes, of no more use
      for (const [i, log] of logs.entries()) {
        weighted.push(writeWeightedLog(paths[i]!, log, vocabulary, signal));
      }
      this.manifest ??= await fitReflective(this.dir, vocabulary, weighted, {
        ...shared,
        onProgress: (fitted) => onProgress?.({ phase: "fit", documents: fitted }),
      });
      const tasks: EmbedTask[] = [];
      for (const [i, { writer }] of segments.entries()) {
        await truncate(writer.vectorsPath, weighted[i]!.documents * dimensions * 4);
        tasks.push(...ranges(this.dir, weighted[i]!, writer.vectorsPath));
      }
      let embedded = 0;
      await runTasks(new URL("./embed-range.js", import.meta.url), embedRange, tasks, {
        ...shared,
        onDone: ({ first, end }) => {
          embedded += end - first;
          onProgress?.({ phase: "embed", documents: embedded });
        },
      });
    } finally {
      for (const path of paths) await rm(path, { force: true });
    }
  }
}

function ranges(model: string, log: WeightedLog, out: string): EmbedTask[] {
  const tasks: EmbedTask[] = [];
  const length = Math.ceil(RANGE / WEIGHTED_STRIDE) * WEIGHTED_STRIDE;
  for (let first = 0; first < log.documents; first += length) {
    tasks.push({ model, log, first, end: Math.min(log.documents, first + length), out });
  }
  return tasks;
}
