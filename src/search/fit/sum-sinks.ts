import { closeSync, openSync } from "node:fs";
import { SEARCH_DEFAULTS } from "../defaults.js";
import { append, writeNumbers } from "../numbers/number-file.js";
import { ByteRows } from "./byte-rows.js";

const { dimensions } = SEARCH_DEFAULTS;

/** Most features of a batch. */
export const BATCH_FEATURES = 2048;

/** Takes the sums of features in the order of the features, a batch at a time. */
export interface SumSink {
  /** By feature: the scale of its bytes; empty where sums are written as floats. */
  readonly scales: Float32Array;
  /** Writes a row of floats for each of at most {@link BATCH_FEATURES} features. */
  write(sums: Float32Array): void;
  close(): void;
}

/** Writes sums of all dimensions as the features' vectors: 1536 signed bytes a feature, each with a scale. */
export class ByteSink implements SumSink {
  readonly scales: Float32Array;
  private done = 0;

  private constructor(
    private readonly descriptor: number,
    private readonly made: ByteRows,
    private readonly first: number,
    features: number,
  ) {
    this.scales = new Float32Array(features);
  }

  /** Opens a sink of so many features over an existing file. The vector of the first feature goes to row `first` of the file. */
  static async open(path: string, first: number, features: number): Promise<ByteSink> {
    const made = await ByteRows.create(dimensions, Math.min(BATCH_FEATURES, features));
    return new ByteSink(openSync(path, "r+"), made, first, features);
  }

  write(sums: Float32Array): void {
    const rows = sums.length / dimensions;
    for (let row = 0; row < rows; row += 1) {
      this.made.vector.set(sums.subarray(row * dimensions, (row + 1) * dimensions));
      this.scales[this.done + row] = this.made.make(row);
    }
    writeNumbers(this.descriptor, (this.first + this.done) * dimensions, this.made.bytes(rows));
    this.done += rows;
  }

  close(): void {
    closeSync(this.descriptor);
  }
}

/** Writes sums of some dimensions as 32-bit floats into a file of their own, for {@link combineSlabs}. */
export class FloatSink implements SumSink {
  readonly scales = new Float32Array(0);
  private readonly descriptor: number;

  constructor(path: string) {
    this.descriptor = openSync(path, "w");
  }

  write(sums: Float32Array): void {
    append(this.descriptor, sums);
  }

  close(): void {
    closeSync(this.descriptor);
  }
}
