import { constants, deflateRawSync } from "node:zlib";

/** Levels on each side of zero: half a byte a number. */
const LEVELS = 7;
/** Share of a dimension's numbers that are not cut off. */
const KEPT = 0.9995;
const MOST_INT16 = 32_767;

/**
 * The module of the weights: embeddings in steps of their dimension, whose size is in the outputs.
 * @param {readonly string[]} languages
 * @param {number} bits
 * @param {number} dimensions
 * @param {{ readonly embeddings: Float32Array; readonly outputs: Float32Array }} learned
 */
export function weightsModule(languages, bits, dimensions, { embeddings, outputs }) {
  const steps = Array.from({ length: dimensions }, (_, d) => {
    const sizes = Float64Array.from({ length: 2 ** bits }, (_, bucket) =>
      Math.abs(embeddings[bucket * dimensions + d]),
    ).sort();
    return sizes[Math.floor(sizes.length * KEPT)] / LEVELS;
  });
  const half = (/** @type {number} */ at) =>
    8 + Math.max(-LEVELS, Math.min(LEVELS, Math.round(embeddings[at] / steps[at % dimensions])));
  const packed = Uint8Array.from(
    { length: embeddings.length / 2 },
    (_, i) => half(2 * i) + 16 * half(2 * i + 1),
  );
  const scaled = outputs.map((value, i) => value * steps[i % dimensions]);
  const largest = scaled.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const scale = Math.floor(MOST_INT16 / largest);
  const bytes = Buffer.alloc(scaled.length * 2);
  for (const [i, value] of scaled.entries()) bytes.writeInt16LE(Math.round(value * scale), 2 * i);
  const deflated = deflateRawSync(packed, { level: constants.Z_BEST_COMPRESSION });
  return [
    "// Made by `node scripts/languages/main.js`.",
    "/** Languages of the outputs, BCP 47; after them comes what is none of these. */",
    `export const LANGUAGES: string =\n  "${languages.join(" ")}";`,
    "/** There are 2^BITS buckets. */",
    `export const BITS = ${bits};`,
    "/** Numbers of a vector. */",
    `export const DIMENSIONS = ${dimensions};`,
    "/** What one is in a score. */",
    `export const OUTPUT_SCALE = ${scale};`,
    "/** A vector of each language: 16-bit numbers; base64. */",
    `export const OUTPUTS: string =\n  "${bytes.toString("base64")}";`,
    "/** A vector of each bucket: half a byte a number, raw deflate; base64. */",
    `export const EMBEDDINGS: string =\n  "${deflated.toString("base64")}";`,
    "",
  ].join("\n");
}
