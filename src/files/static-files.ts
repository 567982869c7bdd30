import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

/** Quality of Brotli from which on little is saved: a megabyte takes 40 ms, off the event loop. */
const BROTLI_QUALITY = 5;

const compressors = {
  br: (bytes: Uint8Array) =>
    promisify(brotliCompress)(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
  gzip: (bytes: Uint8Array) => promisify(gzip)(bytes),
} as const;

/** Encodings that files are sent in; of two that a client takes as gladly the first. */
const ENCODINGS = ["br", "gzip"] as const;

/** A file as it is sent. */
export interface EncodedFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** `Content-Length`, `Vary`, and of a compressed one `Content-Encoding`: all of them belong to the answer, that to HEAD too. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Text files of a folder that does not change, for browsers: each is read once, and compressed once for each encoding that one asks for. */
export class StaticFiles {
  private readonly files = new Map<string, Promise<Uint8Array<ArrayBuffer> | undefined>>();

  /** @param folder address of the folder, with a slash at the end */
  constructor(private readonly folder: URL) {}

  /**
   * A file, compressed as its client takes it.
   * @param name its path in the folder; must not leave it
   * @param accepted the header `Accept-Encoding` of the request, if it has one
   * @returns undefined if there is no such file
   */
  async get(name: string, accepted: string | null | undefined): Promise<EncodedFile | undefined> {
    const encoding = encodingOf(accepted ?? "");
    const bytes = await (encoding === undefined ? this.read(name) : this.compressed(name, encoding));
    if (bytes === undefined) return undefined;
    const headers: Record<string, string> = {
      Vary: "Accept-Encoding",
      "Content-Length": String(bytes.length),
    };
    if (encoding !== undefined) headers["Content-Encoding"] = encoding;
    return { bytes, headers };
  }

  private compressed(name: string, encoding: keyof typeof compressors) {
    return this.once(`${encoding} ${name}`, async () => {
      const bytes = await this.read(name);
      return bytes === undefined ? undefined : new Uint8Array(await compressors[encoding](bytes));
    });
  }

  private read(name: string) {
    return this.once(name, async () => {
      try {
        return new Uint8Array(await readFile(new URL(name, this.folder)));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
        throw error;
      }
    });
  }

  /** What there is stays; names of files that there are not could be many. */
  private once(key: string, make: () => Promise<Uint8Array<ArrayBuffer> | undefined>) {
    const known = this.files.get(key);
    if (known !== undefined) return known;
    const made = make();
    this.files.set(key, made);
    const forget = () => this.files.delete(key);
    made.then((bytes) => {
      if (bytes === undefined) forget();
    }, forget);
    return made;
  }
}

/** What a client takes most gladly of what there is (RFC 9110 section 12.5.3); undefined for the file as it is. */
function encodingOf(accepted: string): (typeof ENCODINGS)[number] | undefined {
  const weights = new Map<string, number>();
  for (const item of accepted.toLowerCase().split(",")) {
    const [name = "", ...params] = item.split(";").map((part) => part.trim());
    const weight = params.find((param) => param.startsWith("q="))?.slice(2);
    weights.set(name, weight === undefined ? 1 : Number(weight));
  }
  const weightOf = (name: string) => weights.get(name) ?? weights.get("*") ?? 0;
  const [best] = [...ENCODINGS].sort((a, b) => weightOf(b) - weightOf(a));
  return best !== undefined && weightOf(best) > (weights.get("identity") ?? 0) ? best : undefined;
}
