import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { analyze } from "../analysis/analyze.js";
import type { Embedder, TextSource } from "./embedder.js";
import { hashTerm } from "./hashing.js";

const DIMENSIONS = 1536;
const POSITIONS = 8;
const PREFIX_LENGTH = 5;
const PREFIX_WEIGHT = 0.7;

const encoder = new TextEncoder();

function features(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const term of analyze(text)) {
    counts.set(term, (counts.get(term) ?? 0) + 1);
    if (term.length > PREFIX_LENGTH) {
      const prefix = `${term.slice(0, PREFIX_LENGTH)}*`;
      counts.set(prefix, (counts.get(prefix) ?? 0) + 1);
    }
  }
  return counts;
}

function addIndexVector(term: string, weight: number, into: Float32Array): void {
  const bytes = encoder.encode(term);
  for (let i = 0; i < POSITIONS; i++) {
    const hash = hashTerm(bytes, i + 1);
    into[hash % DIMENSIONS]! += hash & 0x80000000 ? -weight : weight;
  }
}

function normalize(vector: Float32Array): boolean {
  let sum = 0;
  for (let i = 0; i < vector.length; i++) sum += vector[i]! * vector[i]!;
  if (sum === 0) return false;
  const scale = 1 / Math.sqrt(sum);
  for (let i = 0; i < vector.length; i++) vector[i]! *= scale;
  return true;
}

/**
 * The default embedder: reflective random indexing (Cohen, Schvaneveldt, Widdows 2010) trained on the corpus itself.
 * Needs no model.
 */
export class ReflectiveEmbedder implements Embedder {
  readonly dims = DIMENSIONS;

  private constructor(
    readonly id: string,
    private readonly terms: ReadonlyMap<string, number>,
    private readonly idf: Float32Array,
    private readonly vectors: Float32Array,
  ) {}

  /** Fits the embedder to all texts. */
  static async fit(texts: TextSource, signal?: AbortSignal): Promise<ReflectiveEmbedder> {
    const terms = new Map<string, number>();
    const frequency: number[] = [];
    let documents = 0;
    for await (const batch of texts()) {
      signal?.throwIfAborted();
      for (const text of batch) {
        documents += 1;
        for (const term of features(text).keys()) {
          const id = terms.get(term) ?? terms.size;
          terms.set(term, id);
          frequency[id] = (frequency[id] ?? 0) + 1;
        }
      }
    }
    const idf = Float32Array.from(frequency, (df) => Math.log(1 + documents / df));
    const vectors = new Float32Array(terms.size * DIMENSIONS);
    const totals = new Float32Array(terms.size);
    const mean = new Float32Array(DIMENSIONS);
    for await (const batch of texts()) {
      signal?.throwIfAborted();
      for (const text of batch) {
        const document = new Float32Array(DIMENSIONS);
        const found = features(text);
        for (const [term, count] of found) {
          addIndexVector(term, weightOf(term, count) * idf[terms.get(term)!]!, document);
        }
        if (!normalize(document)) continue;
        for (let i = 0; i < DIMENSIONS; i++) mean[i]! += document[i]! / documents;
        for (const [term, count] of found) {
          const id = terms.get(term)!;
          const weight = weightOf(term, count) * idf[id]!;
          const start = id * DIMENSIONS;
          totals[id]! += weight;
          for (let i = 0; i < DIMENSIONS; i++) vectors[start + i]! += weight * document[i]!;
        }
      }
    }
    for (const [term, id] of terms) {
      const vector = vectors.subarray(id * DIMENSIONS, (id + 1) * DIMENSIONS);
      for (let i = 0; i < DIMENSIONS; i++) vector[i]! -= totals[id]! * mean[i]!;
      normalize(vector);
      for (let i = 0; i < DIMENSIONS; i++) vector[i]! *= 0.5;
      addIndexVector(term, 0.5 / Math.sqrt(POSITIONS), vector);
    }
    const hash = createHash("sha256").update(vectors).digest("hex").slice(0, 12);
    return new ReflectiveEmbedder(`reflective-${hash}`, terms, idf, vectors);
  }

  /** Reads a fit that {@link save} wrote. */
  static async load(dir: string): Promise<ReflectiveEmbedder> {
    const { id, terms } = JSON.parse(await readFile(join(dir, "terms.json"), "utf8")) as {
      id: string;
      terms: string[];
    };
    const idf = new Float32Array((await readFile(join(dir, "idf.f32"))).buffer);
    const bytes = await readFile(join(dir, "terms.f32"));
    const vectors = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
    return new ReflectiveEmbedder(id, new Map(terms.map((term, i) => [term, i])), idf, vectors);
  }

  /** Writes the fit into a folder. */
  async save(dir: string): Promise<void> {
    await writeFile(join(dir, "terms.json"), JSON.stringify({ id: this.id, terms: [...this.terms.keys()] }));
    await writeFile(join(dir, "idf.f32"), new Uint8Array(this.idf.buffer));
    await writeFile(join(dir, "terms.f32"), new Uint8Array(this.vectors.buffer));
  }

  async embedDocuments(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]> {
    signal?.throwIfAborted();
    return texts.map((text) => this.#embed(text) ?? new Float32Array(DIMENSIONS));
  }

  async embedQuery(text: string): Promise<Float32Array | undefined> {
    return this.#embed(text);
  }

  #embed(text: string): Float32Array | undefined {
    const vector = new Float32Array(DIMENSIONS);
    for (const [term, count] of features(text)) {
      const id = this.terms.get(term);
      if (id === undefined) continue;
      const weight = weightOf(term, count) * this.idf[id]!;
      const start = id * DIMENSIONS;
      for (let i = 0; i < DIMENSIONS; i++) vector[i]! += weight * this.vectors[start + i]!;
    }
    return normalize(vector) ? vector : undefined;
  }
}

function weightOf(term: string, count: number): number {
  return (1 + Math.log(count)) * (term.endsWith("*") ? PREFIX_WEIGHT : 1);
}
