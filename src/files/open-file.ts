import { closeSync, fstatSync, openSync, read, readSync } from "node:fs";
import { promisify } from "node:util";
import { LakeError } from "../contract/errors.js";

/** Bytes per read: some systems allow at most 2³¹ − 1. */
const CALL = 1 << 30;

const readInPool = promisify(read);

/**
 * A file open for positional reads. It owns its descriptor: it closes it once and never reads from the number afterwards, because
 * the system may reuse it for another file.
 */
export class OpenFile {
  private descriptor: number | undefined;
  private pending = 0;

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
    for (let done = 0; done < into.byteLength; ) {
      const length = Math.min(CALL, into.byteLength - done);
      const count = readSync(descriptor, into, done, length, position + done);
      if (count === 0) throw new RangeError(`The file ends at byte ${position + done}: it is truncated`);
      done += count;
    }
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
    if (this.pending === 0) closeSync(descriptor);
  }

  private openDescriptor(): number {
    if (this.descriptor !== undefined) return this.descriptor;
    throw new LakeError("lake_closed", `${this.path} was closed with its lake`, {
      value: this.path,
      remedy: "open the lake again",
    });
  }
}
