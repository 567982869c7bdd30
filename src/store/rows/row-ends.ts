import { OpenFile } from "../../files/open-file.js";

/** Rows of a group. */
const GROUP = 64;
/** Bytes of a whole group: where it starts (float64), and the length of each of its rows (32-bit integers), little-endian. */
const GROUP_BYTES = 8 + GROUP * 4;
const DOUBLES = GROUP_BYTES / 8;
const INTEGERS = GROUP_BYTES / 4;

/** Most rows of a store whose ends are all kept, 2 MB, and how many groups of a larger one are: a read of them costs as much as that of a row. */
const KEPT = { all: 1 << 19, groups: 4 };

/** Makes a file of the ends of rows, in groups, for {@link RowEnds}. */
export class RowEndsWriter {
  private rows = 0;
  private offset = 0;
  /** Lengths of rows that are not taken yet. */
  private lengths: number[] = [];

  /** Adds a row of so many bytes. */
  add(bytes: number): void {
    this.lengths.push(bytes);
  }

  /** The bytes of the rows that were added since the last call. */
  take(): Uint8Array {
    const bytes = new DataView(new ArrayBuffer((this.lengths.length + 1) * 12));
    let at = 0;
    for (const length of this.lengths) {
      if (this.rows % GROUP === 0) {
        bytes.setFloat64(at, this.offset, true);
        at += 8;
      }
      bytes.setUint32(at, length, true);
      at += 4;
      this.offset += length;
      this.rows += 1;
    }
    this.lengths = [];
    return new Uint8Array(bytes.buffer, 0, at);
  }
}

/** Reads where rows start and end. */
export class RowEnds {
  /** Groups from {@link first} on, once there was a read: rows that are read together are mostly neighbours. */
  private starts: Float64Array = new Float64Array();
  private lengths: Uint32Array = new Uint32Array();
  private first = Number.POSITIVE_INFINITY;
  private end = Number.NEGATIVE_INFINITY;

  private constructor(
    private readonly file: OpenFile,
    /** Number of rows. */
    readonly length: number,
  ) {}

  /** Opens a file read-only. @throws RangeError if it is truncated */
  static open(path: string): RowEnds {
    const file = OpenFile.open(path);
    try {
      const { size } = file;
      const rest = size % GROUP_BYTES;
      if (rest !== 0 && (rest < 12 || rest % 4 !== 0))
        throw new RangeError(`${path} is truncated: ${size} bytes`);
      const rows = Math.floor(size / GROUP_BYTES) * GROUP + (rest === 0 ? 0 : (rest - 8) / 4);
      return new RowEnds(file, rows);
    } catch (error) {
      file.close();
      throw error;
    }
  }

  /** Where the last row ends. */
  get total(): number {
    return this.length === 0 ? 0 : this.ends(this.length - 1, 1)[1]!;
  }

  /** Where each of `count` rows from `first` on starts, and the last one ends. */
  ends(first: number, count: number): Float64Array {
    const group = Math.floor(first / GROUP);
    const last = Math.floor((first + count - 1) / GROUP);
    const read = this.groups(group, last - group + 1);
    return spread(read.starts, read.lengths, first - group * GROUP, count);
  }

  /** Where a row starts and ends. */
  span(row: number): [number, number] {
    const group = Math.floor(row / GROUP);
    if (group < this.first || group >= this.end) this.keep(group);
    const at = group - this.first;
    let start = this.starts[at * DOUBLES]!;
    const from = at * INTEGERS + 2;
    const place = from + (row - group * GROUP);
    for (let i = from; i < place; i += 1) start += this.lengths[i]!;
    return [start, start + this.lengths[place]!];
  }

  /** Closes the file. */
  close(): void {
    this.file.close();
  }

  /** Reads all groups, or in a large store those about one. */
  private keep(group: number): void {
    const groups = Math.ceil(this.length / GROUP);
    const kept = this.length <= KEPT.all ? groups : Math.min(groups, KEPT.groups);
    const first = Math.max(0, Math.min(group - Math.floor(kept / 2), groups - kept));
    this.first = Number.POSITIVE_INFINITY;
    ({ starts: this.starts, lengths: this.lengths } = this.groups(first, kept));
    this.first = first;
    this.end = first + kept;
  }

  private groups(first: number, count: number): { starts: Float64Array; lengths: Uint32Array } {
    const starts = new Float64Array(count * DOUBLES);
    const bytes = new Uint8Array(starts.buffer);
    const from = first * GROUP_BYTES;
    this.file.read(bytes.subarray(0, Math.min(bytes.length, this.bytes - from)), from);
    return { starts, lengths: new Uint32Array(starts.buffer) };
  }

  /** Bytes of the file. */
  private get bytes(): number {
    return Math.ceil(this.length / GROUP) * 8 + this.length * 4;
  }
}

function spread(starts: Float64Array, lengths: Uint32Array, skipped: number, count: number): Float64Array {
  const ends = new Float64Array(count + 1);
  let at = starts[0]!;
  for (let row = 0; row < skipped + count; row += 1) {
    const group = Math.floor(row / GROUP);
    if (row % GROUP === 0) at = starts[group * DOUBLES]!;
    if (row >= skipped) ends[row - skipped] = at;
    at += lengths[group * INTEGERS + 2 + (row % GROUP)]!;
  }
  ends[count] = at;
  return ends;
}
