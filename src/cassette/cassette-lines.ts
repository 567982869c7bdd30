import type { CanonicalRequest } from "./canonical-request.js";
import { CassetteHeader, CassetteLine } from "./cassette-line.js";
import { type ExactJson, type Members, plainJson } from "./exact-json.js";
import { exactJsonOf, parseExactJson } from "./parse-exact-json.js";
import { type RecordedBody, type RecordedCall, RecordedResponse } from "./recorded-call.js";
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
  next(line: string): RecordedCall | undefined {
    const value = parsed(line);
    if (this.read === undefined) {
      const header = CassetteHeader.safeParse(value);
      if (!header.success) throw new RangeError("is not the header of a cassette", { cause: header.error });
      this.read = header.data;
      return undefined;
    }
    const found = CassetteLine.safeParse(value);
    if (!found.success) throw new RangeError("is neither a call nor a vector", { cause: found.error });
    const exact = parseExactJson(line) as Members;
    if ("vector" in found.data) {
      this.unpacker.vectors.set(found.data.vector, exact.get("values")!);
      return undefined;
    }
    const { at, ms, response } = found.data;
    const body = this.bodyOf(exact.get("response") as Members);
    return {
      at,
      ms,
      request: requestOf(exact.get("request") as Members),
      response: new RecordedResponse(response.status, response.headers, body),
    };
  }

  private bodyOf(response: Members): RecordedBody {
    const [json, text, base64] = ["json", "text", "base64"].map((name) => response.get(name));
    if (json !== undefined) return { json: this.unpacker.unpack(json) };
    if (base64 !== undefined) return { bytes: Buffer.from(base64 as string, "base64") };
    const other = exactJsonOf((text ?? "") as string);
    return other === undefined ? { text: (text ?? "") as string } : { json: other };
  }
}

function requestOf(request: Members): CanonicalRequest {
  const [method, path, query, body] = ["method", "path", "query", "body"].map((name) => request.get(name));
  return {
    method: method as string,
    path: path as string,
    query: query === undefined ? undefined : (plainJson(query) as Record<string, string[]>),
    body: body as ExactJson | undefined,
  };
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new RangeError("is not JSON", { cause });
  }
}
