import { vectorText } from "./vector-text.js";

/** Default size of a writer's cache of vectors and their text, bytes: about 3,500 vectors. */
export const VECTOR_TEXT_CACHE_BYTES = 67_108_864;

interface CachedText {
  readonly vector: Float32Array;
  readonly text: Buffer;
}

/**
 * Writes answers as JSON in UTF-8. Vectors are about 90 % of a search answer, so they have their own encoder and an LRU
 * cache of text by record id, used only if the cached vector is equal. The text equals that of `JSON.stringify`, except
 * for the vectors' numbers (see {@link vectorText}) and that `vec` is the last member of its record.
 */
export class JsonBodyWriter {
  /** Vectors whose text was kept, and those whose text was written. */
  hits = 0;
  misses = 0;
  private readonly texts = new Map<string, CachedText>();
  private readonly capacity: number;
  private size = 0;

  /** @param capacity Cache size in bytes, of vectors and their text; 0 disables the cache. */
  constructor(capacity: number = VECTOR_TEXT_CACHE_BYTES) {
    this.capacity = capacity;
  }

  /** Encodes the body of a response as JSON. */
  write(body: object): Uint8Array {
    const data = (body as { data?: unknown }).data;
    if (!Array.isArray(data) || !data.some(hasVector)) return Buffer.from(JSON.stringify(body));
    const parts: Buffer[] = [];
    let separator = "{";
    for (const [name, value] of Object.entries(body)) {
      parts.push(Buffer.from(`${separator}${JSON.stringify(name)}:`));
      if (name === "data") this.writeRecords(data, parts);
      else parts.push(Buffer.from(JSON.stringify(value)));
      separator = ",";
    }
    parts.push(Buffer.from("}"));
    return Buffer.concat(parts);
  }

  private writeRecords(records: readonly unknown[], parts: Buffer[]): void {
    for (const [i, record] of records.entries()) {
      const start = i === 0 ? "[" : ",";
      if (!hasVector(record)) {
        parts.push(Buffer.from(start + JSON.stringify(record)));
        continue;
      }
      const { vec, ...rest } = record;
      const head = JSON.stringify(rest);
      parts.push(Buffer.from(`${start}${head.slice(0, -1)}${head === "{}" ? "" : ","}"vec":`));
      parts.push(this.textOf(typeof record.id === "string" ? record.id : undefined, vec));
      parts.push(Buffer.from("}"));
    }
    parts.push(Buffer.from("]"));
  }

  private textOf(id: string | undefined, vector: Float32Array): Buffer {
    if (id === undefined || this.capacity === 0) return vectorText(vector);
    const kept = this.texts.get(id);
    if (kept !== undefined) this.forget(id, kept);
    const isKept = kept !== undefined && sameBytes(kept.vector, vector);
    if (isKept) this.hits += 1;
    else this.misses += 1;
    const text = isKept ? kept.text : vectorText(vector);
    this.keep(id, kept?.text === text ? kept : { vector: vector.slice(), text });
    return text;
  }

  private keep(id: string, cached: CachedText): void {
    this.texts.set(id, cached);
    this.size += sizeOf(cached);
    for (const [oldestId, oldest] of this.texts) {
      if (this.size <= this.capacity) break;
      this.forget(oldestId, oldest);
    }
  }

  private forget(id: string, cached: CachedText): void {
    this.texts.delete(id);
    this.size -= sizeOf(cached);
  }
}

function sizeOf({ vector, text }: CachedText): number {
  return vector.byteLength + text.byteLength;
}

function hasVector(value: unknown): value is { readonly id?: unknown; readonly vec: Float32Array } {
  return (
    typeof value === "object" && value !== null && (value as { vec?: unknown }).vec instanceof Float32Array
  );
}

function sameBytes(a: Float32Array, b: Float32Array): boolean {
  return Buffer.from(a.buffer, a.byteOffset, a.byteLength).equals(
    Buffer.from(b.buffer, b.byteOffset, b.byteLength),
  );
}
