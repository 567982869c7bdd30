import { createHash, type Hash } from "node:crypto";
import { type FileHandle, open, readFile, rename, rm, writeFile } from "node:fs/promises";
import { renameSynced, syncHandle } from "../../files/durable-files.js";
import { readPieces } from "../../files/read-pieces.js";
import type { TransferMeter } from "./transfer-meter.js";

/** Expected size and hash of a file. */
export interface ExpectedFile {
  /** Name for messages. */
  readonly label: string;
  /** Its size; where it is not stated, that of the source's answer is right. */
  readonly bytes?: number | undefined;
  /** 64 lower-case hexadecimal digits. */
  readonly sha256?: string | undefined;
  /** Its id in git, of 40 lower-case hexadecimal digits: the SHA-1 of `blob <bytes>`, a zero byte and its content. */
  readonly gitBlob?: string | undefined;
}

/** Suffix of a file during its download. */
export const PARTIAL_SUFFIX = ".part";
const STATE_SUFFIX = ".part.json";

/**
 * A file that is on its way: `<path>.part`, whose bytes are hashed as they come, and `<path>.part.json`, which names the
 * version of the source's file that they belong to. A process that ends at any point leaves what the next can go on with.
 */
export class PartialFile {
  private hash: Hash;
  private length = 0;
  /** Size of the whole file as the source's answer says it. */
  private announced: number | undefined;

  private constructor(
    private readonly path: string,
    private readonly file: FileHandle,
    private readonly expected: ExpectedFile,
    private readonly meter: TransferMeter,
    /** Validator of the version that the bytes are of, fit for `If-Range`; absent where the source gives none. */
    private version: string | undefined,
  ) {
    this.hash = newHash(expected);
  }

  /** Opens and hashes an existing partial file; discards one that is too large or of unknown version. */
  static async open(
    path: string,
    expected: ExpectedFile,
    meter: TransferMeter,
    signal?: AbortSignal,
  ): Promise<PartialFile> {
    const file = await open(`${path}${PARTIAL_SUFFIX}`, "a+");
    try {
      const { size } = await file.stat();
      const version = size > 0 ? await readVersion(path) : undefined;
      const partial = new PartialFile(path, file, expected, meter, version);
      const { bytes = Number.POSITIVE_INFINITY } = expected;
      if (size > bytes || (version === undefined && size < bytes)) await file.truncate(0);
      else if (size > 0) await partial.readWhatIsThere(signal);
      return partial;
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Bytes in the partial file. */
  get size(): number {
    return this.length;
  }

  /** Validator of the partial file's version for `If-Range`; undefined if the server gave none. */
  get validator(): string | undefined {
    return this.version;
  }

  /** Size of the whole file, as far as it is known. */
  get total(): number | undefined {
    return this.expected.bytes ?? this.announced;
  }

  /** Takes note of the size that the source says. */
  announce(bytes: number): void {
    this.announced = bytes;
  }

  /** Whether the partial file has the expected size. */
  get isFull(): boolean {
    return this.length === this.total;
  }

  /** Whether the partial file has the expected size and hash. */
  get isRight(): boolean {
    if (!this.isFull) return false;
    const want = this.expected.sha256 ?? this.expected.gitBlob;
    return want === undefined || this.hash.copy().digest("hex") === want;
  }

  /** Appends and hashes a chunk. */
  async append(chunk: Uint8Array): Promise<void> {
    for (let at = 0; at < chunk.length; ) {
      const { bytesWritten } = await this.file.write(chunk, at, chunk.length - at);
      at += bytesWritten;
    }
    this.hash.update(chunk);
    this.length += chunk.length;
    this.meter.received(chunk.length);
  }

  /** Discards the partial file and starts with another version. */
  async restart(version?: string): Promise<void> {
    await this.file.truncate(0);
    this.meter.dropped(this.length);
    this.hash = newHash(this.expected);
    this.length = 0;
    this.announced = undefined;
    this.version = version;
    const state = `${this.path}${STATE_SUFFIX}`;
    if (version === undefined) return rm(state, { force: true });
    await writeFile(`${state}.tmp`, JSON.stringify({ validator: version }));
    await rename(`${state}.tmp`, state);
  }

  /** Renames the complete, verified file to its final name. */
  async finish(): Promise<void> {
    await syncHandle(this.file);
    await this.file.close();
    await renameSynced(`${this.path}${PARTIAL_SUFFIX}`, this.path);
    await rm(`${this.path}${STATE_SUFFIX}`, { force: true });
  }

  /** Closes the file and keeps the partial content. */
  async close(): Promise<void> {
    await this.file.close();
  }

  private async readWhatIsThere(signal?: AbortSignal): Promise<void> {
    for await (const piece of readPieces(`${this.path}${PARTIAL_SUFFIX}`)) {
      signal?.throwIfAborted();
      this.hash.update(piece);
      this.length += piece.length;
    }
    this.meter.kept(this.length);
  }
}

/** The hash that a file is checked with, before the first byte of it. */
export function newHash({ bytes, sha256, gitBlob }: Omit<ExpectedFile, "label">): Hash {
  if (sha256 !== undefined || gitBlob === undefined) return createHash("sha256");
  return createHash("sha1").update(`blob ${bytes ?? 0}\0`);
}

async function readVersion(path: string): Promise<string | undefined> {
  try {
    const state = JSON.parse(await readFile(`${path}${STATE_SUFFIX}`, "utf8")) as {
      validator?: unknown;
    } | null;
    return typeof state?.validator === "string" ? state.validator : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
