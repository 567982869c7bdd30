import { type FileHandle, open, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SEARCH_DEFAULTS } from "../defaults.js";
import { VectorFile } from "../vector/vector-file.js";

const VECTORS_FILE = "downloaded.f32";
const ROWS_FILE = "downloaded.u32";

/** Collects the vectors that came with the records of a segment, for the rows that have one. */
export class DownloadedVectorsWriter {
  readonly #rows: number[] = [];

  private constructor(
    private readonly dir: string,
    private readonly file: FileHandle,
  ) {}

  static async create(dir: string): Promise<DownloadedVectorsWriter> {
    return new DownloadedVectorsWriter(dir, await open(join(dir, VECTORS_FILE), "w"));
  }

  /** Adds the vector of a row, 1536 numbers; rows come in ascending order. */
  async add(row: number, { buffer, byteOffset, byteLength }: Float32Array): Promise<void> {
    this.#rows.push(row);
    await this.file.write(new Uint8Array(buffer, byteOffset, byteLength));
  }

  /** Writes the rows and closes the file. */
  async finish(): Promise<void> {
    await writeFile(join(this.dir, ROWS_FILE), new Uint8Array(Uint32Array.from(this.#rows).buffer));
    await this.close();
  }

  /** Closes the file; a writer that is not finished leaves a folder that the caller removes. */
  async close(): Promise<void> {
    await this.file.close();
  }
}

/** The vectors that came with the records of a segment. */
export class DownloadedVectors {
  private constructor(
    private readonly file: VectorFile,
    private readonly rows: Uint32Array,
  ) {}

  static async open(dir: string): Promise<DownloadedVectors> {
    const rows = await readFile(join(dir, ROWS_FILE));
    return new DownloadedVectors(
      VectorFile.open(join(dir, VECTORS_FILE)),
      new Uint32Array(rows.buffer.slice(rows.byteOffset, rows.byteOffset + rows.length)),
    );
  }

  /** The vector of a row, 1536 numbers; undefined for a row without one. */
  vector(row: number): Float32Array | undefined {
    let [low, high] = [0, this.rows.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.rows[middle]! < row) low = middle + 1;
      else high = middle;
    }
    return this.rows[low] === row ? this.file.read(low) : undefined;
  }

  close(): void {
    this.file.close();
  }
}

/** A vector of fewer numbers, padded with zeros to 1536. */
export function padded(vector: Float32Array): Float32Array {
  if (vector.length === SEARCH_DEFAULTS.dimensions) return vector;
  const full = new Float32Array(SEARCH_DEFAULTS.dimensions);
  full.set(vector);
  return full;
}
