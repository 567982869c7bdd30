import { rm, truncate } from "node:fs/promises";
import { join } from "node:path";
import type { ThreadOptions } from "../../threads/run-tasks.js";
import { SEARCH_DEFAULTS } from "../defaults.js";
import { chooseVocabulary } from "../fit/choose-vocabulary.js";
import type { FeatureChunk } from "../fit/chunk-features.js";
import type { EmbedTask } from "../fit/embed-logs.js";
import { FeatureCounts } from "../fit/feature-counts.js";
import type { FeatureLog, FeatureLogPart } from "../fit/feature-log.js";
import { fitReflective } from "../fit/fit.js";
import { partOfVocabulary } from "../fit/part-of-vocabulary.js";
import { type SharedModel, type StoredVectors, shareModel } from "../fit/shared-model.js";
import type { WeighTask } from "../fit/weigh-part.js";
import type { WeightedLog } from "../fit/weighted-log.js";
import { BYTE_VECTOR } from "../vector/byte-vectors.js";
import { runTasks } from "../worker-tasks.js";
import {
  MODEL_FILES,
  type ModelManifest,
  modelId,
  readModelManifest,
  writeModelManifest,
} from "./model-manifest.js";
import { PackedVocabulary } from "./packed-vocabulary.js";
import type { Vocabulary } from "./vocabulary.js";

const { threadsFrom } = SEARCH_DEFAULTS.embed;
/** Most documents for which reading the vectors of their features alone is faster. */
const FEW_DOCUMENTS = 4_096;

/** A segment to embed. */
export interface SegmentToEmbed {
  readonly writer: {
    readonly dir: string;
    readonly log: FeatureLog | undefined;
    readonly vectorsPath: string;
  };
}

/** How {@link LocalModel.embed} reports, and stops. */
interface EmbedOptions {
  readonly onProgress?: (progress: {
    readonly phase: "fit" | "embed";
    readonly done: number;
    readonly total?: number;
  }) => void;
  readonly signal?: AbortSignal;
}

/** A segment, and the parts of its log. */
interface LoggedSegment extends SegmentToEmbed {
  readonly parts: readonly FeatureLogPart[];
}

/** The default embedder during a build: collects features, is fitted to them, embeds documents. */
export class LocalModel {
  private readonly languages = new Map<string, { number: number; documents: number }>();
  private manifest: ModelManifest | undefined;

  private constructor(
    private readonly dir: string,
    private counts: FeatureCounts | undefined,
    private readonly threads: number | undefined,
  ) {}

  /** Creates a model to fit to registered documents, in an existing folder. */
  static toFit(dir: string, threads?: number): LocalModel {
    return new LocalModel(dir, new FeatureCounts(), threads);
  }

  /** Opens a fitted model. */
  static async open(dir: string, threads?: number): Promise<LocalModel> {
    const model = new LocalModel(dir, undefined, threads);
    model.manifest = await readModelManifest(dir);
    return model;
  }

  /** Name of the fitted model. */
  get id(): string {
    return modelId(this.fit);
  }

  /**
   * Manifest of the fit.
   * @throws RangeError before the fit.
   */
  get fit(): ModelManifest {
    if (this.manifest === undefined) throw new RangeError("the embedder is not fitted yet");
    return this.manifest;
  }

  /** Registers a document's language (primary subtag) and returns its number. */
  readonly registerLanguage = (language: string): number => {
    let entry = this.languages.get(language);
    if (entry === undefined) {
      entry = { number: this.languages.size, documents: 0 };
      this.languages.set(language, entry);
    }
    entry.documents += 1;
    return entry.number;
  };

  /** Number of registered documents: rows that are no longer shown are embedded, but not learned from. */
  private get registered(): number {
    return [...this.languages.values()].reduce((sum, { documents }) => sum + documents, 0);
  }

  /** Registers the features of documents. */
  readonly registerFeatures = (chunk: FeatureChunk): void => this.counts?.add(chunk);

  /** Fits the model if it is new, and embeds the documents of segments, whose vector files exist. */
  async embed(segments: readonly SegmentToEmbed[], options: EmbedOptions): Promise<void> {
    const fitted = (done: number) =>
      options.onProgress?.({ phase: "fit", done, total: SEARCH_DEFAULTS.dimensions });
    if (this.manifest === undefined) fitted(0);
    const logged = segments.map(({ writer }) => ({ writer, parts: writer.log!.parts() }));
    const documents = documentsOf(logged.flatMap(({ parts }) => parts));
    const run = {
      threads: documents < threadsFrom ? 0 : (this.threads ?? SEARCH_DEFAULTS.threads),
      signal: options.signal,
    };
    const parts = logged.flatMap(({ writer, parts }) =>
      parts.map((part, i) => ({ part, out: join(writer.dir, `weights-${i}.tmp`) })),
    );
    try {
      const { vocabulary, known } = await this.vocabulary(
        parts.map(({ part }) => part),
        run,
      );
      const { features, idf } = vocabulary;
      const measured = this.manifest === undefined;
      const weighed = await runTasks(
        "weighPart",
        parts.map((part): WeighTask => ({ ...part, features, idf, measured })),
        run,
      );
      const logs = weighed.map(({ log }) => log);
      if (measured) {
        await fitReflective(this.dir, vocabulary, weighed, { ...run, onProgress: fitted });
      }
      const model = await shareModel(
        this.dir,
        vocabulary,
        known ?? { count: vocabulary.vectorCount, stored: undefined },
        run,
      );
      const tasks = await embedTasks(model, logged, logs);
      let embedded = 0;
      // The model is hashed meanwhile.
      const [manifest, ran] = await Promise.allSettled([
        this.manifest ??
          writeModelManifest(this.dir, { documents: this.registered, features: vocabulary.size }, run.signal),
        runTasks("embedLogs", tasks, {
          ...run,
          onDone: ({ logs }) => {
            embedded += documentsOf(logs);
            options.onProgress?.({ phase: "embed", done: embedded });
          },
        }),
      ]);
      if (ran.status === "rejected") throw ran.reason;
      if (manifest.status === "rejected") throw manifest.reason;
      this.manifest = manifest.value;
    } finally {
      for (const { out } of parts) await rm(out, { force: true });
    }
  }

  /** The vocabulary: chosen from the documents, or that of the existing fit, of few documents what they have of it. */
  private async vocabulary(
    parts: readonly FeatureLogPart[],
    options: ThreadOptions,
  ): Promise<{ readonly vocabulary: Vocabulary; readonly known?: StoredVectors }> {
    if (this.counts === undefined) {
      const whole = (await PackedVocabulary.read(join(this.dir, MODEL_FILES.vocabulary))).unpacked();
      if (documentsOf(parts) > FEW_DOCUMENTS) return { vocabulary: whole };
      const { vocabulary, stored } = await partOfVocabulary(whole, parts);
      return { vocabulary, known: { count: whole.vectorCount, stored } };
    }
    const languages = [...this.languages.values()].map((language) => language.documents);
    const features = this.counts.select();
    this.counts = undefined; // hundreds of megabytes, of no more use
    return { vocabulary: await chooseVocabulary(features, parts, languages, options) };
  }
}

/** What embeds the logs, those of a segment into its file, which gets its length. */
async function embedTasks(
  model: SharedModel,
  segments: readonly LoggedSegment[],
  logs: readonly WeightedLog[],
): Promise<EmbedTask[]> {
  const tasks: EmbedTask[] = [];
  let taken = 0;
  for (const { writer, parts } of segments) {
    let first = 0;
    for (const log of logs.slice(taken, taken + parts.length)) {
      tasks.push({ model, logs: [log], out: writer.vectorsPath, first });
      first += log.documents;
    }
    taken += parts.length;
    await truncate(writer.vectorsPath, first * BYTE_VECTOR);
  }
  return tasks;
}

function documentsOf(parts: readonly { readonly documents: number }[]): number {
  return parts.reduce((sum, { documents }) => sum + documents, 0);
}
