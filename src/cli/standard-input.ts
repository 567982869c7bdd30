import { fstatSync } from "node:fs";

/** Standard input of this process. A folder in its place, which Node.js gives as an empty stream, throws when it is read. */
export function standardInput(): AsyncIterable<Uint8Array> {
  const { stdin } = process;
  return !stdin.isTTY && fstatSync(stdin.fd ?? 0).isDirectory() ? folder() : stdin;
}

function folder(): AsyncIterable<Uint8Array> {
  const next = () =>
    Promise.reject(new Error("standard input is a folder; name the folder itself as the input"));
  return { [Symbol.asyncIterator]: () => ({ next }) };
}
