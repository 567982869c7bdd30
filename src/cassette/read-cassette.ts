import { readFile } from "node:fs/promises";
import { CassetteError } from "../contract/errors.js";
import type { CassetteHeader } from "./cassette-line.js";
import { CassetteLines } from "./cassette-lines.js";
import { exactJsonOf } from "./parse-exact-json.js";
import type { RecordedCall } from "./recorded-call.js";

/** What a cassette holds. */
export interface Cassette {
  readonly header: CassetteHeader;
  /** Calls in the order in which they were recorded, with whole bodies. */
  readonly calls: readonly RecordedCall[];
  /** Names of the vectors and items that it holds. */
  readonly known: { readonly vectors: readonly string[]; readonly items: readonly string[] };
}

/**
 * Reads a cassette. A last line that was not written to its end, as a killed recorder leaves it, is left out.
 * @throws CassetteError `cassette_unreadable`, which names the line
 */
export async function readCassette(path: string): Promise<Cassette> {
  const text = await readFile(path, "utf8").catch((cause: Error) => {
    throw unreadable(path, cause.message, cause);
  });
  if (text === "") throw unreadable(path, "it is empty", undefined);
  const lines = text.replace(/^\ufeff/, "").split("\n");
  const last = lines.pop()!;
  // A line is an object: no beginning of it is JSON.
  if (exactJsonOf(last) !== undefined) lines.push(last);
  const read = new CassetteLines();
  const calls = (lines.length === 0 ? [""] : lines).flatMap((line, i) => {
    if (line.trim() === "" && i > 0) return [];
    try {
      const call = read.next(line);
      return call === undefined ? [] : [call];
    } catch (cause) {
      if (!(cause instanceof RangeError)) throw cause;
      throw unreadable(path, `line ${i + 1}: ${cause.message}`, cause);
    }
  });
  return { header: read.header!, calls, known: read.known };
}

function unreadable(path: string, why: string, cause: unknown): CassetteError {
  return new CassetteError("cassette_unreadable", `Cannot read the cassette ${path}: ${why}`, {
    value: path,
    remedy: "Name a file that `mirrorlake record` or recordFetch wrote, or record it again.",
    cause,
  });
}
