import { readdir } from "node:fs/promises";
import { join } from "node:path";
/** @import { Embedder } from "mirrorlake" */
import { MAPPING } from "./mapping.js";
import { seeded } from "./random.js";

/** Numbers of a vector that are not padding. */
const EFFECTIVE = 256;
/** Numbers of a vector. */
export const DIMENSIONS = 1536;
const TOPICS = 2000;
/** Where the questions' own parts begin, beyond those of any record. */
const QUESTION_SEED = 0x8000_0000;

/**
 * Writes a unit vector around the topic of a number: 256 numbers, then zeros. The same number gives the same vector.
 * @param {Float32Array} into
 * @param {number} n
 * @returns {void}
 */
export function writeVector(into, n, seed = TOPICS + n) {
  const centre = seeded(n % TOPICS);
  const noise = seeded(seed);
  let squares = 0;
  for (let i = 0; i < EFFECTIVE; i++) {
    const value = centre(65_536) - 32_768 + 0.7 * (noise(65_536) - 32_768);
    into[i] = value;
    squares += value * value;
  }
  const length = Math.sqrt(squares);
  for (let i = 0; i < EFFECTIVE; i++) into[i] /= length;
}

/**
 * The embedder of the generated vectors: a question's lies around a topic that its letters choose.
 * @returns {Embedder}
 */
export function givenEmbedder() {
  return {
    id: MAPPING.info.vectorModel,
    dims: DIMENSIONS,
    embedDocuments: (texts) => {
      if (texts.length > 0) return Promise.reject(new Error("every record brings its vector"));
      return Promise.resolve([]);
    },
    embedQuery: (text) => {
      let number = 0;
      for (let i = 0; i < text.length; i++) number = (Math.imul(number, 31) + text.charCodeAt(i)) >>> 1;
      const vector = new Float32Array(DIMENSIONS);
      writeVector(vector, number, QUESTION_SEED + number);
      return Promise.resolve(vector);
    },
  };
}

/**
 * Folders of the published slices.
 * @param {string} published
 * @returns {Promise<string[]>}
 */
export async function slicesOf(published) {
  const entries = await readdir(published, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(published, name));
}
