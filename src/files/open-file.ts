import { closeSync, fstatSync, openSync, read, readSync } from "node:fs";
import { promisify } from "node:util";
import { LakeError } from "../contract/errors.js";

/** Bytes per read: some systems allow at most 2³¹ − 1. */
const CALL = 1 << 30;
/**
 * A file of at most so many bytes is kept in memory from its short read of this number on: each then takes some microseconds less. Reads
 * of more than a page are mostly copying.
 */
const KEPT = { bytes: 4 * 1024 * 1024, reads: 16, page: 4096 } as const;

const readInPool = promisify(read);

/**
 * A file open for positional reads, which does not change while it is open. It owns its descriptor: it closes it once and never reads
 * from the number afterwards, because the system may reuse it for another file. A small one that is often read is kept in memory.
 */
export class OpenFile {
  private descriptor: number | undefined;
  private pending = 0;
  private reads = 0;
  private kept: Uint8Array | undefined;

  private constructor(
    readonly path: string,
    descriptor: number,
  ) {
    this.descriptor = descriptor;
  }

  /** Opens a file. @throws the system's error, such as ENOENT */
  static open(path: string): OpenFile {
    return new OpenFile(path, openSync(path, "r"));
  }

  /** Size in bytes. @throws LakeError `lake_closed` */
  get size(): number {
    return fstatSync(this.openDescriptor()).size;
  }

  /**
   * Fills a view from a byte position, synchronously: a read from the page cache takes microseconds, ten times less than a hop to
   * the thread pool. @throws RangeError at the end of the file; LakeError `lake_closed`
   */
  read(into: NodeJS.ArrayBufferView, position: number): void {
    const descriptor = this.openDescriptor();
    if (into.byteLength <= KEPT.page && ++this.reads === KEPT.reads) this.keep(descriptor);
    const { kept } = this;
    if (kept === undefined) {
      readFully(descriptor, into, position);
      return;
    }
    const end = position + into.byteLength;
    if (end > kept.length && into.byteLength > 0) throw endsBefore(Math.max(position, kept.length));
    new Uint8Array(into.buffer, into.byteOffset, into.byteLength).set(kept.subarray(position, end));
  }

  /** Fills a view in the thread pool, up to the end of the file, so that the bytes are in the page cache. @throws LakeError `lake_closed` */
  async readAhead(into: NodeJS.ArrayBufferView, position: number): Promise<void> {
    const descriptor = this.openDescriptor();
    this.pending++;
    try {
      await readInPool(descriptor, into, 0, into.byteLength, position);
    } finally {
      this.pending--;
      if (this.pending === 0 && this.descriptor === undefined) closeSync(descriptor);
    }
  }

  /** Closes the file after pending reads; further calls do nothing. */
  close(): void {
    const descriptor = this.descriptor;
    if (descriptor === undefined) return;
    this.descriptor = undefined;
    this.kept = undefined;
    if (this.pending === 0) closeSync(descriptor);
  }

  /** Reads the whole file, if it is small. */
  private keep(descriptor: number): void {
    const { size } = fstatSync(descriptor);
    if (size > KEPT.bytes) return;
    const bytes = new Uint8Array(size);
    readFully(descriptor, bytes, 0);
    this.kept = bytes;
  }

  private openDescriptor(): number {
    if (this.descriptor !== undefined) return this.descriptor;
    throw new LakeError("lake_closed", `${this.path} was closed with its lake`, {
      value: this.path,
      remedy: "open the lake again",
    });
  }
}

/** @throws RangeError at the end of the file */
function readFully(descriptor: number, into: NodeJS.ArrayBufferView, position: number): void {
  for (let done = 0; done < into.byteLength; ) {
    const length = Math.min(CALL, into.byteLength - done);
    const count = readSync(descriptor, into, done, length, position + done);
    if (count === 0) throw endsBefore(position + done);
    done += count;
  }
}

const endsBefore = (byte: number) => new RangeError(`The file ends at byte ${byte}: it is truncated`);
