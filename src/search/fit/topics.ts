import { SEARCH_DEFAULTS } from "../defaults.js";

const { perTopic, most, sketch: SKETCH, rounds } = SEARCH_DEFAULTS.embed.topics;

/** Some documents of a corpus, in order: the language of each, and the first dimensions of its vector at unit length. */
export interface SketchedDocuments {
  readonly languages: Uint16Array;
  readonly sketches: Float32Array;
}

/**
 * The topics of a corpus: groups of documents that are alike, of one language each. A language of few documents is one topic.
 * Topics of one language have consecutive numbers.
 */
export interface Topics {
  /** By language number: its first topic; then the number of all topics. */
  readonly starts: Uint32Array;
  /** By language: the mean of its sketches. */
  readonly means: Float32Array;
  /** By topic: its centre among sketches less their mean, of length 1. */
  readonly centres: Float32Array;
}

/**
 * Divides the documents of each language by spherical k-means (Dhillon and Modha 2001) over a sample of them. The same sample gives
 * the same topics on any machine.
 *
 * @param languages number of documents of each language, by language number
 */
export function chooseTopics(sample: SketchedDocuments, languages: Uint32Array): Topics {
  const total = languages.reduce((sum, count) => sum + count, 0);
  const size = Math.max(perTopic, total / most);
  const starts = new Uint32Array(languages.length + 1);
  languages.forEach((count, language) => {
    starts[language + 1] = starts[language]! + Math.max(1, Math.floor(count / size));
  });
  const means = new Float32Array(languages.length * SKETCH);
  const centres = new Float32Array(starts.at(-1)! * SKETCH);
  for (let language = 0; language < languages.length; language += 1) {
    const [first, end] = [starts[language]!, starts[language + 1]!];
    if (end - first === 1) continue;
    const own = means.subarray(language * SKETCH, (language + 1) * SKETCH);
    const sketches = sketchesOf(sample, language);
    subtractMean(sketches, own);
    findCentres(sketches, centres.subarray(first * SKETCH, end * SKETCH));
  }
  return { starts, means, centres };
}

/** The topic of a document of a language. @param vector at any length, of which `inverse` is the inverse */
export function topicOf(
  { starts, means, centres }: Topics,
  language: number,
  vector: Float32Array,
  inverse: number,
): number {
  const [first, end] = [starts[language]!, starts[language + 1]!];
  if (end - first === 1) return first;
  const sketch = vector.slice(0, SKETCH);
  const mean = language * SKETCH;
  for (let k = 0; k < SKETCH; k += 1) sketch[k] = sketch[k]! * inverse - means[mean + k]!;
  return first + nearest(sketch, 0, centres.subarray(first * SKETCH, end * SKETCH)).centre;
}

function sketchesOf({ languages, sketches }: SketchedDocuments, language: number): Float32Array {
  const count = languages.reduce((sum, own) => sum + (own === language ? 1 : 0), 0);
  const found = new Float32Array(count * SKETCH);
  let at = 0;
  languages.forEach((own, i) => {
    if (own !== language) return;
    found.set(sketches.subarray(i * SKETCH, (i + 1) * SKETCH), at);
    at += SKETCH;
  });
  return found;
}

/** Sets `mean` to the mean of the sketches, and subtracts it from each, which then gets length 1. */
function subtractMean(sketches: Float32Array, mean: Float32Array): void {
  const count = Math.max(1, sketches.length / SKETCH);
  const sum = new Float64Array(SKETCH);
  for (let at = 0; at < sketches.length; at += 1) sum[at % SKETCH]! += sketches[at]!;
  mean.set(sum.map((value) => value / count));
  for (let at = 0; at < sketches.length; at += SKETCH) {
    const sketch = sketches.subarray(at, at + SKETCH);
    for (let k = 0; k < SKETCH; k += 1) sketch[k]! -= mean[k]!;
    toUnit(sketch);
  }
}

/** Sets centres among sketches, beginning with some of these. */
function findCentres(sketches: Float32Array, centres: Float32Array): void {
  const count = sketches.length / SKETCH;
  const wanted = centres.length / SKETCH;
  for (let centre = 0; centre < wanted && count > 0; centre += 1) {
    const at = Math.floor(((centre + 0.5) * count) / wanted) * SKETCH;
    centres.set(sketches.subarray(at, at + SKETCH), centre * SKETCH);
  }
  const products = new Float64Array(count);
  for (let round = 0; round < rounds; round += 1) {
    const sums = new Float64Array(centres.length);
    for (let i = 0; i < count; i += 1) {
      const at = i * SKETCH;
      const found = nearest(sketches, at, centres);
      products[i] = found.product;
      const to = found.centre * SKETCH;
      for (let k = 0; k < SKETCH; k += 1) sums[to + k]! += sketches[at + k]!;
    }
    let farthest: Uint32Array | undefined;
    let taken = 0;
    for (let at = 0; at < sums.length; at += SKETCH) {
      const sum = sums.subarray(at, at + SKETCH);
      if (toUnit(sum)) {
        centres.set(sum, at);
        continue;
      }
      // A centre that is the nearest of none goes to what is far from all.
      farthest ??= Uint32Array.from(products.keys()).sort((a, b) => products[a]! - products[b]!);
      const from = farthest[taken++];
      if (from !== undefined) centres.set(sketches.subarray(from * SKETCH, (from + 1) * SKETCH), at);
    }
  }
}

/** The centre that a sketch has the largest product with, of equal ones the first, and this product. */
function nearest(
  sketches: Float32Array,
  at: number,
  centres: Float32Array,
): { centre: number; product: number } {
  let centre = 0;
  let product = Number.NEGATIVE_INFINITY;
  for (let first = 0; first < centres.length; first += SKETCH) {
    let even = 0;
    let odd = 0;
    for (let k = 0; k < SKETCH; k += 2) {
      even += sketches[at + k]! * centres[first + k]!;
      odd += sketches[at + k + 1]! * centres[first + k + 1]!;
    }
    if (even + odd <= product) continue;
    product = even + odd;
    centre = first / SKETCH;
  }
  return { centre, product };
}

/** Scales a vector to length 1; false if it is zero. */
function toUnit(vector: Float32Array | Float64Array): boolean {
  let squares = 0;
  for (const value of vector) squares += value * value;
  if (squares === 0) return false;
  const factor = 1 / Math.sqrt(squares);
  for (let k = 0; k < vector.length; k += 1) vector[k]! *= factor;
  return true;
}
