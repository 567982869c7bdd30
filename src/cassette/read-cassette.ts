import { readFile } from "node:fs/promises";
import { CassetteError } from "../contract/errors.js";
import type { Json } from "../contract/json.js";
import { type CallLine, CassetteHeader, CassetteLine } from "./cassette-line.js";
import { ContentUnpacker } from "./shared-content.js";

/** What a cassette holds. */
export interface Cassette {
  readonly header: CassetteHeader;
  /** Calls in the order in which they were recorded, with whole bodies. */
  readonly calls: readonly CallLine[];
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
  const lines = text.split("\n");
  // What is after the last line end was not finished.
  lines.pop();
  const [first = "", ...rest] = lines;
  const header = CassetteHeader.safeParse(parsed(first, path, 1));
  if (!header.success) throw unreadable(path, "line 1 is not the header of a cassette", header.error);
  const unpacker = new ContentUnpacker();
  const calls = rest.flatMap((line, i) => {
    const read = CassetteLine.safeParse(parsed(line, path, i + 2));
    if (!read.success) throw unreadable(path, `line ${i + 2} is neither a call nor a vector`, read.error);
    if ("vector" in read.data) {
      unpacker.vectors.set(read.data.vector, read.data.values);
      return [];
    }
    return [wholeCall(read.data, unpacker, path, i + 2)];
  });
  const known = { vectors: [...unpacker.vectors.keys()], items: [...unpacker.items.keys()] };
  return { header: header.data, calls, known };
}

function wholeCall(call: CallLine, unpacker: ContentUnpacker, path: string, line: number): CallLine {
  const { json } = call.response;
  if (json === undefined) return call;
  try {
    return { ...call, response: { ...call.response, json: unpacker.unpack(json as Json) } };
  } catch (cause) {
    throw unreadable(path, `line ${line}: ${(cause as Error).message}`, cause);
  }
}

function parsed(line: string, path: string, number: number): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw unreadable(path, `line ${number} is not JSON`, cause);
  }
}

function unreadable(path: string, why: string, cause: unknown): CassetteError {
  return new CassetteError("cassette_unreadable", `Cannot read the cassette ${path}: ${why}`, {
    value: path,
    remedy: "Name a file that `mirrorlake record` or recordFetch wrote, or record it again.",
    cause,
  });
}
