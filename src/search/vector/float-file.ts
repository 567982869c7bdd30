import { closeSync, openSync, readSync, writeSync } from "node:fs";

/** Reads floats of a file from an index on; used where a build streams a matrix that does not fit in memory. */
export function readFloats(descriptor: number, from: number, into: Float32Array): void {
  const bytes = new Uint8Array(into.buffer, into.byteOffset, into.byteLength);
  for (let done = 0; done < bytes.length; ) {
    const read = readSync(descriptor, bytes, done, bytes.length - done, from * 4 + done);
    if (read === 0) throw new RangeError("read past the end of a file of floats");
    done += read;
  }
}

/** Appends bytes of an array to a file, all of them. */
export function append(descriptor: number, values: Float32Array | Int8Array): void {
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
