import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { SearchError } from "../../../contract/errors.js";
import { retryAfterMs } from "../../../contract/service/retry-after.js";
import { BodyTooLarge } from "../../../network/collect-bytes.js";
import { type FetchedText, fetchText } from "../../../network/fetch-text.js";
import type { SendRequest } from "../../../network/sender.js";
import { withinTime } from "../../../network/within-time.js";

/** Options of {@link EmbeddingsClient}. */
export interface EmbeddingsClientOptions {
  /** Address above `/embeddings`, such as `http://127.0.0.1:8080/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly model: string;
  /** Dimensions requested from a server that can shorten its vectors. */
  readonly dimensions: number | undefined;
  /** Retries after a temporary failure. */
  readonly retries: number;
  /** Timeout of one attempt, ms. */
  readonly timeoutMs: number;
  /** Most bytes of an answer. */
  readonly maxAnswerBytes: number;
  /** Delay before the first retry, ms; doubled for each next one, less up to half at random. */
  readonly backoffMs: number;
  readonly fetch: SendRequest;
  readonly random: () => number;
}

const Answer = z.object({
  data: z.array(
    z.object({
      index: z.number().int().min(0).optional(),
      embedding: z.union([z.array(z.number()), z.string()]),
    }),
  ),
});

const LONGEST_WAIT_MS = 60_000;
const REPORTED = 300;
/** Statuses worth a retry: timeouts, conflicts, rate limits, server errors. */
const PASSING: ReadonlySet<number> = new Set([408, 409, 425, 429, 500, 502, 503, 504]);

/** A temporary failure, with the delay the server requests. */
class PassingFailure {
  constructor(
    readonly error: SearchError,
    readonly waitMs: number | undefined,
  ) {}
}

/** A client of an OpenAI-compatible `/v1/embeddings`. */
export class EmbeddingsClient {
  constructor(private readonly options: EmbeddingsClientOptions) {}

  /**
   * Returns one vector per text, in order, unchanged.
   * @throws SearchError `embedder_refused` for a permanent failure (a bad key, an unknown model),
   * `embedder_unavailable` after the last retry, `embedder_invalid` for a malformed response; the signal's
   * reason
   */
  async embed(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]> {
    const { retries, backoffMs, random } = this.options;
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.attempt(texts, signal);
      } catch (failure) {
        if (!(failure instanceof PassingFailure)) throw failure;
        if (attempt >= retries) throw failure.error;
        const backoff = backoffMs * 2 ** attempt * (1 - random() / 2);
        const wait = Math.max(failure.waitMs ?? 0, Math.min(backoff, LONGEST_WAIT_MS));
        if (wait > LONGEST_WAIT_MS) throw failure.error;
        await delay(wait, undefined, { signal }).catch(() => {});
        signal?.throwIfAborted();
      }
    }
  }

  private async attempt(texts: readonly string[], signal: AbortSignal | undefined): Promise<Float32Array[]> {
    const { timeoutMs } = this.options;
    let answer: FetchedText;
    try {
      answer = await withinTime({ timeoutMs, signal, expired: tooSlow }, (limited) =>
        this.ask(texts, limited),
      );
    } catch (cause) {
      signal?.throwIfAborted();
      if (cause instanceof BodyTooLarge) throw this.invalid(cause.message, cause);
      throw new PassingFailure(this.unavailable(messageOf(cause), cause), undefined);
    }
    const { status, headers, text } = answer;
    if (status !== 200) throw this.failure(status, headers, text);
    return this.vectors(text, texts.length);
  }

  private ask(texts: readonly string[], signal: AbortSignal): Promise<FetchedText> {
    const { baseUrl, apiKey, model, dimensions, maxAnswerBytes: maxBytes } = this.options;
    const init: RequestInit = {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        ...(apiKey === undefined ? {} : { Authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify({
        model,
        input: texts,
        encoding_format: "float",
        dimensions,
      }),
      redirect: "error",
    };
    const url = `${baseUrl.replace(/\/+$/, "")}/embeddings`;
    return fetchText(this.options.fetch, url, init, { signal, maxBytes });
  }

  private vectors(text: string, wanted: number): Float32Array[] {
    let answer: z.infer<typeof Answer>;
    try {
      answer = Answer.parse(JSON.parse(text));
    } catch (cause) {
      // A cut connection may truncate the response: retry.
      throw new PassingFailure(this.invalid("its answer is not a list of embeddings", cause), undefined);
    }
    const vectors = new Array<Float32Array | undefined>(wanted).fill(undefined);
    answer.data.forEach(({ index, embedding }, i) => {
      const at = index ?? i;
      if (at < wanted)
        vectors[at] = typeof embedding === "string" ? decode(embedding) : Float32Array.from(embedding);
    });
    if (answer.data.length !== wanted || vectors.includes(undefined)) {
      throw this.invalid(`it answered ${answer.data.length} embeddings to ${wanted} texts`);
    }
    return vectors as Float32Array[];
  }

  private failure(status: number, headers: Headers, text: string): SearchError | PassingFailure {
    const why = `it answered ${status}: ${text.trim().slice(0, REPORTED) || "nothing"}`;
    if (PASSING.has(status)) {
      const wait = retryAfterMs(headers.get("retry-after") ?? undefined, Date.now());
      return new PassingFailure(this.unavailable(why), wait);
    }
    return new SearchError("embedder_refused", `the embedding server cannot be used: ${why}`, {
      value: this.options.baseUrl,
      remedy:
        status === 401 || status === 403
          ? "give a key that the server takes"
          : "check the address, the model and its limits",
    });
  }

  private unavailable(why: string, cause?: unknown): SearchError {
    return new SearchError("embedder_unavailable", `the embedding server is not available: ${why}`, {
      value: this.options.baseUrl,
      remedy: "try again later; vectors that were made are kept where there is a cache",
      cause,
    });
  }

  private invalid(why: string, cause?: unknown): SearchError {
    return new SearchError("embedder_invalid", `the embedding server cannot be used: ${why}`, {
      value: this.options.baseUrl,
      remedy: "check that it serves an OpenAI-compatible /v1/embeddings",
      cause,
    });
  }
}

function tooSlow(timeoutMs: number): Error {
  return new Error(`it did not answer within ${timeoutMs} ms`);
}

/** Decodes base64 of 32-bit little-endian floats, which some servers send. */
function decode(text: string): Float32Array {
  const bytes = Buffer.from(text, "base64");
  return Float32Array.from({ length: Math.floor(bytes.length / 4) }, (_, i) => bytes.readFloatLE(i * 4));
}

function messageOf(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { message?: string } };
  return cause?.message ?? message ?? String(error);
}
