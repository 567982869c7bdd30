/** An embedder that runs a model in this process. @module mirrorlake/embed-transformers */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { z } from "zod";
import { checkOptions, optionsSchema } from "../../../contract/check-options.js";
import { SearchError } from "../../../contract/errors.js";
import { CallbackOption, CountOption, PathOption, TextOption } from "../../../contract/option-schemas.js";
import { SEARCH_DEFAULTS } from "../../defaults.js";
import type { Embedder } from "../embedder.js";
import { toUnit } from "../unit-vector.js";
import { VectorCache } from "../vector-cache.js";

const { inProcess } = SEARCH_DEFAULTS;

/** How token vectors are combined. */
export type Pooling = "mean" | "cls" | "last_token";

/** The used part of a feature-extraction pipeline of @huggingface/transformers. */
export type FeatureExtraction = (
  texts: string[],
  options: { readonly pooling: Pooling; readonly normalize: boolean },
) => Promise<{ readonly dims: readonly number[]; readonly data: ArrayLike<number> }>;

/** Options of {@link transformersEmbedder}. */
export interface TransformersEmbedderOptions {
  /** Folder of the model: config.json, tokenizer.json, onnx/model.onnx. Nothing is downloaded. */
  readonly modelDir: string;
  /**
   * Name of the vectors. Downloaded vectors with this name are used. Default: the folder's name and a hash of
   * the model's files.
   */
  readonly id?: string;
  /** `mean` by default. */
  readonly pooling?: Pooling;
  /** Which of the model's files: `fp32` (onnx/model.onnx) by default, or `q8`, `fp16`, … */
  readonly dtype?: string;
  /** Prefix of each text, and of each query, for models that need one. */
  readonly documentPrefix?: string;
  readonly queryPrefix?: string;
  /**
   * Cache folder of documents' vectors, by hash of model and text; default: no cache. Processes may share it. An install that was stopped
   * goes on where it was.
   */
  readonly cacheDir?: string;
  /** Texts per batch; default: 16. */
  readonly batchSize?: number;
  /** Creates the pipeline; default: with @huggingface/transformers. */
  readonly load?: (modelDir: string, dtype: string) => Promise<FeatureExtraction>;
}

const OPTIONS = optionsSchema<TransformersEmbedderOptions>(() => ({
  modelDir: PathOption,
  id: TextOption.optional(),
  pooling: z.enum(["mean", "cls", "last_token"]).optional(),
  dtype: TextOption.optional(),
  documentPrefix: z.string().optional(),
  queryPrefix: z.string().optional(),
  cacheDir: PathOption.optional(),
  batchSize: CountOption.min(1).optional(),
  load: CallbackOption.optional(),
}));

/**
 * An embedder that runs a local sentence-embedding model in this process, with @huggingface/transformers, an
 * optional package. No network: files must be in the folder.
 * @throws SearchError `embedder_unavailable` if the package or the model cannot be loaded; `embedder_invalid`
 * for a model of more than 1536 dimensions
 */
export async function transformersEmbedder(options: TransformersEmbedderOptions): Promise<Embedder> {
  checkOptions(OPTIONS, options, "transformersEmbedder");
  const modelDir = resolve(options.modelDir);
  const { dtype = "fp32", load = loadPipeline, pooling = "mean" } = options;
  const hash = await hashModel(modelDir);
  const extract = await load(modelDir, dtype);
  const [probe] = await run(extract, ["probe"], pooling);
  const dims = probe!.length;
  if (dims > SEARCH_DEFAULTS.dimensions) {
    throw new SearchError(
      "embedder_invalid",
      `the model makes vectors of ${dims} numbers, more than ${SEARCH_DEFAULTS.dimensions}`,
      { value: modelDir, remedy: "choose a smaller model" },
    );
  }
  const id = options.id ?? `${basename(modelDir)}-${dtype}-${hash.slice(0, 12)}`;
  const { documentPrefix = "", queryPrefix = "", batchSize = inProcess.batchSize, cacheDir } = options;
  const cache = cacheDir === undefined ? undefined : await VectorCache.open(cacheDir, dims);
  const keyOf = (text: string) => VectorCache.key(`transformers\n${hash}\n${dtype}\n${pooling}`, text);
  return {
    id,
    dims,
    state: {
      provider: "transformers",
      model: basename(modelDir),
      hash,
      pooling,
      dtype,
      documentPrefix,
      queryPrefix,
    },
    async embedDocuments(texts, signal) {
      const vectors: Float32Array[] = texts.map(() => new Float32Array(dims));
      const missing: number[] = [];
      for (const [i, text] of texts.entries()) {
        if (text.trim() === "") continue;
        const known = await cache?.get(keyOf(documentPrefix + text));
        if (known === undefined) missing.push(i);
        else vectors[i] = known;
      }
      // Batch texts of similar length: a batch is as long as its longest text.
      missing.sort((a, b) => texts[a]!.length - texts[b]!.length || a - b);
      let kept = 0;
      const keep = async (end: number) => {
        const made = missing.slice(kept, end);
        kept = end;
        await cache?.put(made.map((i) => [keyOf(documentPrefix + texts[i]!), vectors[i]!] as const));
      };
      for (let at = 0; at < missing.length; at += batchSize) {
        signal?.throwIfAborted();
        const batch = missing.slice(at, at + batchSize);
        const made = await run(
          extract,
          batch.map((i) => documentPrefix + texts[i]!),
          pooling,
        );
        batch.forEach((i, n) => {
          vectors[i] = made[n]!;
        });
        if (at + batch.length - kept >= inProcess.cachedTogether) await keep(at + batch.length);
      }
      await keep(missing.length);
      return vectors;
    },
    async embedQuery(text, signal) {
      signal?.throwIfAborted();
      if (text.trim() === "") return undefined;
      return (await run(extract, [queryPrefix + text], pooling))[0];
    },
  };
}

async function run(extract: FeatureExtraction, texts: string[], pooling: Pooling): Promise<Float32Array[]> {
  const { dims, data } = await extract(texts, { pooling, normalize: true });
  const width = dims.at(-1) ?? 0;
  if (dims.length !== 2 || dims[0] !== texts.length || width === 0) {
    throw new SearchError(
      "embedder_invalid",
      `the model made a tensor of ${dims.join(" × ")} of ${texts.length} texts`,
      {
        value: [...dims],
        remedy: "give a sentence-embedding model: feature extraction",
      },
    );
  }
  const all = Float32Array.from(data);
  return texts.map((_, i) => toUnit(all.slice(i * width, (i + 1) * width)));
}

/** SHA-256 over the names and contents of the model's files, in order of their names. */
async function hashModel(dir: string): Promise<string> {
  const hash = createHash("sha256");
  let names: string[];
  try {
    names = (await readdir(dir, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile() && /\.(json|onnx|onnx_data|txt|model)$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .sort();
  } catch (cause) {
    throw unavailable(
      dir,
      `the folder of the model cannot be read: ${dir}`,
      "give the folder that holds config.json",
      cause,
    );
  }
  for (const name of names) {
    hash.update(name.slice(dir.length));
    for await (const chunk of createReadStream(name)) hash.update(chunk as Buffer);
  }
  return hash.digest("hex");
}

/** The used part of @huggingface/transformers. */
interface Transformers {
  readonly env: { allowRemoteModels: boolean; allowLocalModels: boolean; localModelPath: string };
  pipeline(
    task: "feature-extraction",
    model: string,
    options: { dtype: string; local_files_only: boolean },
  ): Promise<FeatureExtraction>;
}

const PACKAGE = "@huggingface/transformers";

async function loadPipeline(modelDir: string, dtype: string): Promise<FeatureExtraction> {
  let library: Transformers;
  try {
    library = (await import(PACKAGE)) as Transformers;
  } catch (cause) {
    const remedy = `install it beside Mirrorlake: ONNXRUNTIME_NODE_INSTALL=skip npm install ${PACKAGE}`;
    throw unavailable(PACKAGE, `${PACKAGE} cannot be loaded`, remedy, cause);
  }
  library.env.allowRemoteModels = false;
  library.env.allowLocalModels = true;
  library.env.localModelPath = dirname(modelDir);
  try {
    return await library.pipeline("feature-extraction", basename(modelDir), {
      dtype,
      local_files_only: true,
    });
  } catch (cause) {
    const remedy =
      "give a folder with config.json, tokenizer.json and onnx/model.onnx, of the dtype asked for";
    throw unavailable(modelDir, `the model cannot be loaded: ${(cause as Error).message}`, remedy, cause);
  }
}

function unavailable(value: string, message: string, remedy: string, cause: unknown): SearchError {
  return new SearchError("embedder_unavailable", message, { value, remedy, cause });
}
