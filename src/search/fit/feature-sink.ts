import { SEARCH_DEFAULTS } from "../defaults.js";
import { FeatureTableWriter } from "../embed/feature-table-writer.js";
import { COARSE_BYTES } from "../embed/stored-feature.js";
import { writeNumberFile } from "../numbers/number-file.js";
import { FeatureShrinker } from "./feature-shrinker.js";
import type { SumSink } from "./sum-sink.js";

const { dimensions } = SEARCH_DEFAULTS;

/** Consecutive features to fit. */
export interface FeatureRange {
  /** Documents of each feature. */
  readonly documents: Uint32Array;
  /** From how many documents on a vector is kept finely. */
  readonly fineFrom: number;
}

/** Consecutive features to fit, and the file that gets their different vectors, one after another. */
export interface FeatureTarget extends FeatureRange {
  readonly path: string;
}

/** Consecutive features that are fitted. */
export interface FittedFeatures {
  /** By feature: the number of its vector among the different ones, and what the vector's numbers are multiplied by. */
  readonly vectors: Uint32Array;
  readonly scales: Float32Array;
  /** Bytes of each different vector. */
  readonly lengths: Uint16Array;
}

/** Takes the sums of features, in order, and makes of them the vectors that the model keeps: 1 or 2 bits per dimension, equal ones once. */
export class FeatureSink implements SumSink {
  /** The different vectors. */
  readonly table: FeatureTableWriter;
  private readonly vectors: Uint32Array;
  private readonly scales: Float32Array;
  private done = 0;

  private constructor(
    private readonly shrinker: FeatureShrinker,
    private readonly range: FeatureRange,
  ) {
    const features = range.documents.length;
    this.vectors = new Uint32Array(features);
    this.scales = new Float32Array(features);
    this.table = new FeatureTableWriter({ vectors: features, bytes: features * COARSE_BYTES });
  }

  /** Creates a sink of a range of features. */
  static async create(range: FeatureRange): Promise<FeatureSink> {
    return new FeatureSink(await FeatureShrinker.create(), range);
  }

  write(sums: Float32Array): void {
    const { shrinker } = this;
    const { documents, fineFrom } = this.range;
    for (let at = 0; at < sums.length; at += dimensions, this.done += 1) {
      shrinker.vector.set(sums.subarray(at, at + dimensions));
      const fine = documents[this.done]! >= fineFrom;
      const { stored, scale } = shrinker.shrink({ scale: shrinker.narrow(), fine });
      this.vectors[this.done] = this.table.add(stored);
      this.scales[this.done] = scale;
    }
  }

  /** The features so far. */
  fitted(): FittedFeatures {
    const { vectors, scales, table } = this;
    return { vectors, scales, lengths: table.lengths };
  }

  /** Writes the different vectors to a file. Returns the features. */
  save(path: string): FittedFeatures {
    writeNumberFile(path, this.table.vectors);
    return this.fitted();
  }
}
