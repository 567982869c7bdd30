import { closeSync, openSync, readFileSync, readSync, writeSync } from "node:fs";

/** Bytes per call: some systems accept no more than 2³¹ − 1. */
const CALL = 1 << 30;

/** A typed array with the bytes of a file of little-endian numbers. */
type Numbers = Uint8Array | Int8Array | Uint32Array | Float32Array | Float64Array;

/** Opens a file, calls `use`, and closes the file. */
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

/**
 * Fills `into` from a byte offset of a file.
 * @throws RangeError if the file is too short.
 */
export function readNumbers(descriptor: number, offset: number, into: Numbers): void {
  const bytes = bytesOf(into);
  for (let done = 0; done < bytes.length; ) {
    const read = readSync(descriptor, bytes, done, Math.min(CALL, bytes.length - done), offset + done);
    if (read === 0) throw new RangeError("read past the end of a file of numbers");
    done += read;
  }
}

/** Writes an array at a byte offset of a file. */
export function writeNumbers(descriptor: number, offset: number, values: Numbers): void {
  const bytes = bytesOf(values);
  for (let done = 0; done < bytes.length; )
    done += writeSync(descriptor, bytes, done, Math.min(CALL, bytes.length - done), offset + done);
}

/** Appends an array to a file. */
export function append(descriptor: number, values: Numbers): void {
  const bytes = bytesOf(values);
  for (let done = 0; done < bytes.length; )
    done += writeSync(descriptor, bytes, done, Math.min(CALL, bytes.length - done));
}

/**
 * Reads `length` 32-bit integers from a byte offset.
 * @throws RangeError if the file is too short.
 */
export function readIntegers(path: string, offset: number, length: number): Uint32Array {
  const values = new Uint32Array(length);
  const descriptor = openSync(path, "r");
  try {
    readNumbers(descriptor, offset, values);
  } finally {
    closeSync(descriptor);
  }
  return values;
}

/** Reads a file of 32-bit floats. */
export function readFloats(path: string): Float32Array {
  const bytes = readFileSync(path);
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}

/** Writes an array as the content of a file. */
export function writeNumberFile(path: string, values: Numbers): void {
  const descriptor = openSync(path, "w");
  try {
    append(descriptor, values);
  } finally {
    closeSync(descriptor);
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: Numbers): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
