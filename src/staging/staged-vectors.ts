import { readSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { VECTOR_DIMENSIONS } from "../contract/service/unified-record.js";

/** Vectors per file write: 768 KB. */
const VECTORS_A_WRITE = 128;

/** Vectors of staged records, by number of arrival, in a flat file of floats. */
export class StagedVectors {
  private block = new Float32Array(0);
  private count = 0;

  private constructor(private readonly file: FileHandle) {}

  /** Opens an empty file in a folder. */
  static async open(dir: string): Promise<StagedVectors> {
    return new StagedVectors(await open(join(dir, "vectors.f32"), "w+"));
  }

  /** Adds a vector of 1536 numbers. Returns its 0-based number. */
  async add(vector: Float32Array): Promise<number> {
    const inBlock = this.count % VECTORS_A_WRITE;
    if (this.count === 0) this.block = new Float32Array(VECTORS_A_WRITE * VECTOR_DIMENSIONS);
    this.block.set(vector, inBlock * VECTOR_DIMENSIONS);
    this.count++;
    if (inBlock === VECTORS_A_WRITE - 1) await this.file.appendFile(bytesOf(this.block));
    return this.count - 1;
  }

  /** Writes what waits in memory; before that no vector can be read. */
  async flush(): Promise<void> {
    const rest = (this.count % VECTORS_A_WRITE) * VECTOR_DIMENSIONS;
    if (rest > 0) await this.file.appendFile(bytesOf(this.block.subarray(0, rest)));
  }

  /** The vector with number `n`. Read synchronously: it is 6 KB, in the page cache. */
  read(n: number): Float32Array {
    const values = new Float32Array(VECTOR_DIMENSIONS);
    readSync(this.file.fd, values, 0, values.byteLength, n * values.byteLength);
    return values;
  }

  close(): Promise<void> {
    return this.file.close();
  }
}

function bytesOf(floats: Float32Array): Uint8Array {
  return new Uint8Array(floats.buffer, floats.byteOffset, floats.byteLength);
}
