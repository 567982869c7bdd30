import { createHash, type Hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { type FileHandle, open, readFile, rename, rm, writeFile } from "node:fs/promises";
import { renameSynced } from "../../files/durable-files.js";
import type { TransferMeter } from "./transfer-meter.js";

const READ_BYTES = 1024 * 1024;

/** What a file must be in the end. */
export interface ExpectedFile {
  /** How messages name it. */
  readonly label: string;
  readonly bytes: number;
  /** 64 lower-case hexadecimal digits. */
  readonly sha256: string;
}

/** Names beside a file while it is on its way. */
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

  /** Opens what is there, hashing it; too much of it, or what cannot be told the version of, is thrown away. */
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

  /** Bytes that are there. */
  get size(): number {
    return this.length;
  }

  /** What tells the version that is there from others, for `If-Range`; undefined where the server gave nothing. */
  get validator(): string | undefined {
    return this.version;
  }

  /** Whether as many bytes are there as the file has. */
  get isFull(): boolean {
    return this.length === this.expected.bytes;
  }

  /** Whether what is there is the whole file, and the right one. */
  get isRight(): boolean {
    return this.isFull && this.hash.copy().digest("hex") === this.expected.sha256;
  }

  /** Writes what came, and counts it. */
  async append(chunk: Uint8Array): Promise<void> {
    for (let at = 0; at < chunk.length; ) {
      const { bytesWritten } = await this.file.write(chunk, at, chunk.length - at);
      at += bytesWritten;
    }
    this.hash.update(chunk);
    this.length += chunk.length;
    this.meter.received(chunk.length);
  }

  /** Throws away what is there and begins with another version of the file. */
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

  /** Gives the file, which is right, its name. */
  async finish(): Promise<void> {
    await this.file.sync();
    await this.file.close();
    await renameSynced(`${this.path}${PARTIAL_SUFFIX}`, this.path);
    await rm(`${this.path}${STATE_SUFFIX}`, { force: true });
  }

  /** Lets go of the file and keeps what is there. */
  async close(): Promise<void> {
    await this.file.close();
  }

  private async readWhatIsThere(signal?: AbortSignal): Promise<void> {
    const stream = createReadStream(`${this.path}${PARTIAL_SUFFIX}`, { highWaterMark: READ_BYTES });
    for await (const chunk of stream) {
      signal?.throwIfAborted();
      this.hash.update(chunk as Buffer);
      this.length += (chunk as Buffer).length;
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
