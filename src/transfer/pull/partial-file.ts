import { createHash, type Hash } from "node:crypto";
import { type FileHandle, open, readFile, rename, rm, writeFile } from "node:fs/promises";
import { renameSynced } from "../../files/durable-files.js";
import { readPieces } from "../../files/read-pieces.js";
import type { TransferMeter } from "./transfer-meter.js";

/** Expected size and hash of a file. */
export interface ExpectedFile {
  /** Name for messages. */
  readonly label: string;
  readonly bytes: number;
  /** 64 lower-case hexadecimal digits. */
  readonly sha256: string;
}

/** Suffix of a file during its download. */
export const PARTIAL_SUFFIX = ".part";
const STATE_SUFFIX = ".part.json";

/**
 * A file that is on its way: `<path>.part`, whose bytes are hashed as they come, and `<path>.part.json`, which names the
 * version of the source's file that they belong to. A process that ends at any point leaves what the next can go on with.
 */
export class PartialFile {
  private hash: Hash = createHash("sha256");
  private length = 0;

  private constructor(
    private readonly path: string,
    private readonly file: FileHandle,
    private readonly expected: ExpectedFile,
    private readonly meter: TransferMeter,
    /** Validator of the version that the bytes are of, fit for `If-Range`; absent where the source gives none. */
    private version: string | undefined,
  ) {}

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
      if (size > expected.bytes || (version === undefined && size < expected.bytes)) await file.truncate(0);
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

  /** Whether the partial file has the expected size. */
  get isFull(): boolean {
    return this.length === this.expected.bytes;
  }

  /** Whether the partial file has the expected size and hash. */
  get isRight(): boolean {
    return this.isFull && this.hash.copy().digest("hex") === this.expected.sha256;
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
    this.hash = createHash("sha256");
    this.length = 0;
    this.version = version;
    const state = `${this.path}${STATE_SUFFIX}`;
    if (version === undefined) return rm(state, { force: true });
    await writeFile(`${state}.tmp`, JSON.stringify({ validator: version }));
    await rename(`${state}.tmp`, state);
  }

  /** Renames the complete, verified file to its final name. */
  async finish(): Promise<void> {
    await this.file.sync();
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
