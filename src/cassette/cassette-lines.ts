import type { Json } from "../contract/json.js";
import { type CallLine, CassetteHeader, CassetteLine } from "./cassette-line.js";
import { ContentUnpacker } from "./shared-content.js";

/** Reads the lines of a cassette, in their order: later ones name the content of earlier ones. */
export class CassetteLines {
  private readonly unpacker = new ContentUnpacker();
  private read: CassetteHeader | undefined;

  /** What the first line says; undefined before it is read. */
  get header(): CassetteHeader | undefined {
    return this.read;
  }

  /** Names of the vectors and items that the lines so far hold. */
  get known(): { readonly vectors: readonly string[]; readonly items: readonly string[] } {
    const { vectors, items } = this.unpacker;
    return { vectors: [...vectors.keys()], items: [...items.keys()] };
  }

  /**
   * Takes the next line. Returns the call that it holds, with its whole body; undefined for the header and for a vector.
   * @throws RangeError which says why the line is none of a cassette
   */
  next(line: string): CallLine | undefined {
    const value = parsed(line);
    if (this.read === undefined) {
      const header = CassetteHeader.safeParse(value);
      if (!header.success) throw new RangeError("is not the header of a cassette", { cause: header.error });
      this.read = header.data;
      return undefined;
    }
    const found = CassetteLine.safeParse(value);
    if (!found.success) throw new RangeError("is neither a call nor a vector", { cause: found.error });
    if ("vector" in found.data) {
      this.unpacker.vectors.set(found.data.vector, found.data.values);
      return undefined;
    }
    const { response } = found.data;
    if (response.json === undefined) return found.data;
    return { ...found.data, response: { ...response, json: this.unpacker.unpack(response.json as Json) } };
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new RangeError("is not JSON", { cause });
  }
}
