import { copyFile, type FileHandle, open, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readWhole } from "../../files/read-whole.js";
import { shareFile } from "../../files/share-file.js";
import { VectorFile } from "../vector/vector-file.js";
import { appendVectors } from "./append-vectors.js";

const VECTORS_FILE = "downloaded.f32";
const ROWS_FILE = "downloaded.u32";

/** Collects the downloaded vectors of a segment, for the rows that have one. */
export class DownloadedVectorsWriter {
  private readonly rows: number[] = [];

  private constructor(
    private readonly dir: string,
    private readonly file: FileHandle,
  ) {}

  static async create(dir: string): Promise<DownloadedVectorsWriter> {
    return new DownloadedVectorsWriter(dir, await open(join(dir, VECTORS_FILE), "w"));
  }

  /** Adds the vectors of rows, 1536 numbers each; rows come in ascending order. */
  async add(rows: readonly number[], vectors: readonly Float32Array[]): Promise<void> {
    for (const row of rows) this.rows.push(row);
    await appendVectors(this.file, vectors);
  }

  /** Writes the rows and closes the file. */
  async finish(): Promise<void> {
    await writeFile(join(this.dir, ROWS_FILE), new Uint8Array(Uint32Array.from(this.rows).buffer));
    await this.close();
  }

  /** Copies the vectors so far to a new file, and returns it open for more. */
  async copy(file: string): Promise<FileHandle> {
    await copyFile(join(this.dir, VECTORS_FILE), file);
    return open(file, "a");
  }

  /** Shares the finished file: equal bytes are stored once, where the file system has hard links. */
  async share(file: string): Promise<void> {
    await shareFile(join(this.dir, VECTORS_FILE), file);
  }

  /** Closes the file. The caller removes the folder of an unfinished writer. */
  async close(): Promise<void> {
    await this.file.close();
  }
}

/** The downloaded vectors of a segment. */
export class DownloadedVectors {
  private constructor(
    private readonly file: VectorFile,
    private readonly rows: Uint32Array,
  ) {}

  static async open(dir: string): Promise<DownloadedVectors> {
    const rows = await readWhole(join(dir, ROWS_FILE));
    return new DownloadedVectors(VectorFile.open(join(dir, VECTORS_FILE)), new Uint32Array(rows.buffer));
  }

  /** Reads the vector of a row, 1536 numbers; undefined for a row without one. */
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
