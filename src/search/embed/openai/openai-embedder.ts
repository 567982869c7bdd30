/** An embedder that asks a server. @module mirrorlake/embed-openai */

import { z } from "zod";
import { checkOptions, optionsSchema } from "../../../contract/check-options.js";
import { SearchError } from "../../../contract/errors.js";
import { omitUndefined } from "../../../contract/omit-undefined.js";
import {
  CallbackOption,
  CountOption,
  FlagOption,
  MillisecondsOption,
  PathOption,
  TextOption,
} from "../../../contract/option-schemas.js";
import { SEARCH_DEFAULTS } from "../../defaults.js";
import type { Embedder } from "../embedder.js";
import { toUnit } from "../unit-vector.js";
import { EmbeddingsClient } from "./embeddings-client.js";
import { VectorCache } from "./vector-cache.js";

const { remote } = SEARCH_DEFAULTS;

/** Options of {@link openaiEmbedder}. */
export interface OpenaiEmbedderOptions {
  /** The model's name, as the server knows it. */
  readonly model: string;
  /** Address above `/embeddings`, such as `http://127.0.0.1:8080/v1`. Texts and queries are sent there. */
  readonly baseUrl: string;
  /** Sent as a bearer token; none is where absent. */
  readonly apiKey?: string;
  /** Numbers in the model's vectors: 1536 by default. Another length is an error. */
  readonly dimensions?: number;
  /** Ask the server to shorten its vectors to `dimensions`: only for models that can. False by default. */
  readonly shorten?: boolean;
  /**
   * Name of the vectors: those that slices bring under this name are used as they are. By default the model's name, with the
   * dimensions where they are shortened.
   */
  readonly id?: string;
  /** Put before each text, and each query, as some models want. */
  readonly documentPrefix?: string;
  readonly queryPrefix?: string;
  /** Folder of vectors made before, by hash of their text; none are kept where absent. May be shared by processes. */
  readonly cacheDir?: string;
  /** Texts in a request, at most: 128 by default. */
  readonly batchSize?: number;
  /** Requests under way at a time: 2 by default. */
  readonly concurrency?: number;
  /** Characters of a text that are sent, at most: 8,000 by default, which most models' limits hold in any language. */
  readonly maxCharacters?: number;
  /** Further attempts after one that failed and may pass: 5 by default. */
  readonly retries?: number;
  /** Milliseconds that one attempt may take: 60,000 by default. */
  readonly timeoutMs?: number;
  /** Milliseconds before the first further attempt, doubled for each next: 500 by default. */
  readonly backoffMs?: number;
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof fetch;
  /** Replaces `Math.random`, which spreads the attempts. */
  readonly random?: () => number;
}

const OPTIONS = optionsSchema<OpenaiEmbedderOptions>(() => ({
  model: TextOption,
  baseUrl: z.url({ protocol: /^https?$/, error: "must be an http(s) address" }),
  apiKey: z.string().optional(),
  dimensions: z.number().optional(),
  shorten: FlagOption.optional(),
  id: TextOption.optional(),
  documentPrefix: z.string().optional(),
  queryPrefix: z.string().optional(),
  cacheDir: PathOption.optional(),
  batchSize: CountOption.min(1).optional(),
  concurrency: CountOption.min(1).optional(),
  maxCharacters: CountOption.min(1).optional(),
  retries: CountOption.optional(),
  timeoutMs: MillisecondsOption.optional(),
  backoffMs: CountOption.optional(),
  fetch: CallbackOption.optional(),
  random: CallbackOption.optional(),
}));

/**
 * An embedder that asks an OpenAI-compatible `/v1/embeddings`: batched, retried with backoff that honours `Retry-After`, kept
 * on disk by hash of text. Vectors are brought to unit norm; blank texts have zeros and are not sent.
 * @throws SearchError `embedder_invalid` for options that cannot be met
 */
export async function openaiEmbedder(options: OpenaiEmbedderOptions): Promise<Embedder> {
  checkOptions(OPTIONS, options, "openaiEmbedder");
  const { model, dimensions = SEARCH_DEFAULTS.dimensions, shorten = false } = options;
  if (!Number.isInteger(dimensions) || dimensions < 1 || dimensions > SEARCH_DEFAULTS.dimensions) {
    throw new SearchError("embedder_invalid", `vectors have 1 to ${SEARCH_DEFAULTS.dimensions} dimensions`, {
      value: dimensions,
      remedy:
        "choose a model of no more dimensions, or let the server shorten its vectors: shorten and dimensions",
    });
  }
  const id = options.id ?? (shorten ? `${model}-${dimensions}` : model);
  const cache =
    options.cacheDir === undefined ? undefined : await VectorCache.open(options.cacheDir, dimensions);
  const client = new EmbeddingsClient({
    baseUrl: options.baseUrl,
    apiKey: options.apiKey,
    model,
    dimensions: shorten ? dimensions : undefined,
    retries: options.retries ?? remote.retries,
    timeoutMs: options.timeoutMs ?? remote.timeoutMs,
    backoffMs: options.backoffMs ?? remote.backoffMs,
    fetch: options.fetch ?? fetch,
    random: options.random ?? Math.random,
  });
  return new OpenaiEmbedder(id, dimensions, model, client, cache, options);
}

class OpenaiEmbedder implements Embedder {
  readonly state: Readonly<Record<string, string | number>>;

  constructor(
    readonly id: string,
    readonly dims: number,
    model: string,
    private readonly client: EmbeddingsClient,
    private readonly cache: VectorCache | undefined,
    private readonly options: OpenaiEmbedderOptions,
  ) {
    const { documentPrefix, queryPrefix } = options;
    this.state = omitUndefined({
      provider: "openai-compatible",
      model,
      dimensions: dims,
      documentPrefix,
      queryPrefix,
    });
  }

  async embedDocuments(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]> {
    return this.embed(
      texts.map((text) => this.prepare(text, this.options.documentPrefix)),
      signal,
    );
  }

  async embedQuery(text: string, signal?: AbortSignal): Promise<Float32Array | undefined> {
    const prepared = this.prepare(text, this.options.queryPrefix);
    return prepared === "" ? undefined : (await this.embed([prepared], signal))[0];
  }

  /** What is sent of a text: nothing of a blank one. */
  private prepare(text: string, prefix = ""): string {
    const kept = text.trim().slice(0, this.options.maxCharacters ?? remote.maxCharacters);
    return kept === "" ? "" : prefix + kept.replace(/[\ud800-\udbff]$/, "");
  }

  private async embed(texts: readonly string[], signal: AbortSignal | undefined): Promise<Float32Array[]> {
    signal?.throwIfAborted();
    const vectors = new Map<string, Float32Array>([["", new Float32Array(this.dims)]]);
    for (const text of texts) {
      if (vectors.has(text)) continue;
      const known = await this.cache?.get(this.key(text));
      if (known !== undefined) vectors.set(text, known);
    }
    const missing = [...new Set(texts)].filter((text) => !vectors.has(text));
    const batches = batchesOf(missing, this.options.batchSize ?? remote.batchSize, remote.batchCharacters);
    let next = 0;
    const lane = async () => {
      while (next < batches.length) {
        const batch = batches[next++]!;
        const made = (await this.client.embed(batch, signal)).map((vector) => this.checked(vector));
        await this.cache?.put(batch.map((text, i) => [this.key(text), made[i]!] as const));
        batch.forEach((text, i) => {
          vectors.set(text, made[i]!);
        });
      }
    };
    const lanes = Math.min(batches.length, this.options.concurrency ?? remote.concurrency);
    await Promise.all(Array.from({ length: lanes }, lane));
    return texts.map((text) => vectors.get(text)!);
  }

  private key(text: string): string {
    return VectorCache.key(`${this.id}\n${this.dims}`, text);
  }

  private checked(vector: Float32Array): Float32Array {
    if (vector.length !== this.dims) {
      throw new SearchError(
        "embedder_invalid",
        `${this.id} makes vectors of ${vector.length} numbers, not ${this.dims}`,
        { value: vector.length, remedy: `say so: dimensions ${vector.length}` },
      );
    }
    return toUnit(vector);
  }
}

function batchesOf(texts: readonly string[], most: number, characters: number): string[][] {
  const batches: string[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const text of texts) {
    if (size + text.length > characters || batches.at(-1)!.length >= most) {
      batches.push([]);
      size = 0;
    }
    batches.at(-1)!.push(text);
    size += text.length;
  }
  return batches;
}
