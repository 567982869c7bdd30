import { openVectors, type VectorSource, type Vectors } from "../vector/vectors.js";
import { DownloadedVectors } from "./downloaded-vectors.js";
import { readVectorRows } from "./read-vector-rows.js";

/** Where the vectors of a segment's rows are. */
export interface VectorPlace {
  /** First row of the segment in the index. */
  readonly first: number;
  /** Folder of the segment. */
  readonly dir: string;
  /** Its generated vectors. */
  readonly made: VectorSource;
}

/** The vectors of an index's rows, read without the index: the downloaded one, else the generated one. */
export class RowVectors {
  private constructor(
    private readonly segments: readonly {
      readonly first: number;
      readonly made: Vectors;
      readonly downloaded: DownloadedVectors;
    }[],
  ) {}

  /** Opens the files of every segment. @throws SearchError `vectors_truncated`; the system's error */
  static async open(places: readonly VectorPlace[]): Promise<RowVectors> {
    const segments: RowVectors["segments"][number][] = [];
    const opened = new RowVectors(segments);
    try {
      for (const { first, dir, made } of places) {
        const downloaded = await DownloadedVectors.open(dir);
        try {
          segments.push({ first, downloaded, made: openVectors(made) });
        } catch (error) {
          downloaded.close();
          throw error;
        }
      }
      return opened;
    } catch (error) {
      opened.close();
      throw error;
    }
  }

  /** Reads the vectors of rows, in their order, into `into`: 1536 numbers each. */
  read(rows: ArrayLike<number>, into: Float32Array): void {
    readVectorRows(rows, into, (row) => this.segments.findLast(({ first }) => row >= first)!);
  }

  close(): void {
    for (const { made, downloaded } of this.segments) {
      made.close();
      downloaded.close();
    }
  }
}
