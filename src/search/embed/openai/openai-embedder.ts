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
import { NETWORK_DEFAULTS } from "../../../network/defaults.js";
import { createSender } from "../../../network/sender.js";
import { SEARCH_DEFAULTS } from "../../defaults.js";
import type { Embedder } from "../embedder.js";
import { toUnit } from "../unit-vector.js";
import { VectorCache } from "../vector-cache.js";
import { EmbeddingsClient } from "./embeddings-client.js";

const { remote } = SEARCH_DEFAULTS;

/** Options of {@link openaiEmbedder}. */
export interface OpenaiEmbedderOptions {
  /** Name of the model on the server. */
  readonly model: string;
  /** Address above `/embeddings`, such as `http://127.0.0.1:8080/v1`. Texts and queries are sent there. */
  readonly baseUrl: string;
  /** Bearer token, if the server needs one. */
  readonly apiKey?: string;
  /** Dimensions of the model's vectors; default: 1536. Another length is an error. */
  readonly dimensions?: number;
  /** Requests vectors shortened to `dimensions`; only for models that support it. Default: false. */
  readonly shorten?: boolean;
  /**
   * Name of the vectors. Downloaded vectors with this name are used. Default: the model's name, with the
   * dimensions if shortened.
   */
  readonly id?: string;
  /** Prefix of each text, and of each query, for models that need one. */
  readonly documentPrefix?: string;
  readonly queryPrefix?: string;
  /** Cache folder of vectors, by hash of their text; default: no cache. Processes may share it. */
  readonly cacheDir?: string;
  /** Most texts per request; default: 128. */
  readonly batchSize?: number;
  /** Concurrent requests; default: 2. */
  readonly concurrency?: number;
  /** Most characters sent of a text; default: 8,000, within most models' limits in any language. */
  readonly maxCharacters?: number;
  /** Retries after a temporary failure; default: 5. */
  readonly retries?: number;
  /** Timeout of one attempt, ms; default: 60,000. */
  readonly timeoutMs?: number;
  /**
   * Most bytes of an answer, decompressed; a larger one is SearchError `embedder_invalid`. Default: 16 MiB, or what
   * `batchSize` vectors need, 32 bytes a number, if that is more.
   */
  readonly maxAnswerBytes?: number;
  /** Delay before the first retry, ms, doubled for each next one; default: 500. */
  readonly backoffMs?: number;
  /** Sends requests, such as the global `fetch`. Default: a function of its own, which survives hostile servers. */
  readonly fetch?: typeof fetch;
  /** Replaces `Math.random`, which varies the delays. */
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
  maxAnswerBytes: CountOption.min(1).optional(),
  backoffMs: CountOption.optional(),
  fetch: CallbackOption.optional(),
  random: CallbackOption.optional(),
}));

/**
 * An embedder that calls an OpenAI-compatible `/v1/embeddings`, with batches, retries with backoff that honour
 * `Retry-After`, and a cache on disk. Vectors are normalised; blank texts give zeros and are not sent.
 * @throws SearchError `embedder_invalid` for invalid options
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
    maxAnswerBytes: options.maxAnswerBytes ?? answerBytes(options.batchSize ?? remote.batchSize, dimensions),
    backoffMs: options.backoffMs ?? remote.backoffMs,
    fetch: options.fetch ?? createSender(),
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

  /** The text to send; empty for a blank text. */
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

function answerBytes(batchSize: number, dimensions: number): number {
  return Math.max(NETWORK_DEFAULTS.maxBodyBytes, batchSize * dimensions * remote.bytesPerNumber);
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
