import { closeSync, openSync, readSync, writeSync } from "node:fs";

/** Reads floats of a file from an index on; used where a build streams a matrix that does not fit in memory. */
export function readFloats(descriptor: number, from: number, into: Float32Array): void {
  readBytes(descriptor, from * 4, new Uint8Array(into.buffer, into.byteOffset, into.byteLength));
}

/** Fills `into` with the bytes of a file from a place on. Throws `RangeError` where the file ends before. */
export function readBytes(descriptor: number, from: number, into: Uint8Array): void {
  for (let done = 0; done < into.length; ) {
    const read = readSync(descriptor, into, done, into.length - done, from + done);
    if (read === 0) throw new RangeError("read past the end of a file of numbers");
    done += read;
  }
}

/** Appends bytes of an array to a file, all of them. */
export function append(descriptor: number, values: Float32Array | Uint8Array): void {
  const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  for (let done = 0; done < bytes.length; ) done += writeSync(descriptor, bytes, done);
}

/** Opens a file for the time of `use`. */
export async function withFile<T>(
  path: string,
  flags: string,
  use: (descriptor: number) => Promise<T> | T,
): Promise<T> {
  const descriptor = openSync(path, flags);
  try {
    return await use(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
