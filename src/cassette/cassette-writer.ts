import { type FileHandle, open, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { CassetteError, DiskError } from "../contract/errors.js";
import { checkOutput, unwritableFolder } from "../files/replace-output.js";
import { writingTo } from "../files/writing-to.js";
import { callText } from "./call-text.js";
import { CASSETTE_FORMAT, type CassetteHeader } from "./cassette-line.js";
import { CassetteLock } from "./cassette-lock.js";
import { exactJsonOf } from "./parse-exact-json.js";
import { readCassette } from "./read-cassette.js";
import type { RecordedCall } from "./recorded-call.js";
import { ContentPacker } from "./shared-content.js";

const LINE_END = "\n";

/** Appends calls to a cassette, in the order of their answers. Bodies arrive here without secrets. */
export class CassetteWriter {
  /** Ends when everything before is on the disk. After a failure nothing is written: later calls name content of earlier ones. */
  private last: Promise<void> = Promise.resolve();
  private readonly packer = new ContentPacker();
  private readonly lock: CassetteLock;
  /** Bytes that the file has at least. */
  private least = 0;
  /** Calls written. */
  count = 0;

  private constructor(
    private readonly path: string,
    /** The path behind all links. */
    private readonly target: string,
  ) {
    this.lock = new CassetteLock(target);
  }

  /**
   * Opens a cassette, or starts one. Several recorders may have it open.
   * @throws CassetteError `cassette_unreadable` if the file is something else; UsageError `unwritable_file`; DiskError `disk_full`
   */
  static async open(path: string, maxAgeMs?: number): Promise<CassetteWriter> {
    const writer = new CassetteWriter(path, await checkOutput(path));
    const begun = () => writer.lock.run(() => writer.begin(maxAgeMs));
    await writingTo(writer.target, begun).catch(async (error: unknown) => {
      if (error instanceof CassetteError) await writer.lock.remove();
      const isRefused = error instanceof DiskError && error.code === "not_writable";
      throw isRefused ? unwritableFolder(path, dirname(writer.target), error.cause as Error) : error;
    });
    return writer;
  }

  /** Appends a call. Resolves when it is written. @throws CassetteError `cassette_changed`; DiskError */
  add(call: RecordedCall): Promise<void> {
    const text = callText(call, this.packer);
    const written = () => this.lock.run(() => this.append(text));
    this.last = this.last.then(() => writingTo(this.target, written));
    return this.last;
  }

  /** Waits for what is being written. */
  async close(): Promise<void> {
    await this.last.finally(() => this.lock.remove());
  }

  private async begin(maxAgeMs: number | undefined): Promise<void> {
    const size = await stat(this.target).then(
      (found) => found.size,
      () => 0,
    );
    if (size > 0) this.packer.know((await readCassette(this.path)).known);
    else {
      const header: CassetteHeader = { cassette: CASSETTE_FORMAT, max_age_ms: maxAgeMs };
      await writeFile(this.target, `${JSON.stringify(header)}${LINE_END}`);
    }
  }

  private async append(text: string): Promise<void> {
    const file = await open(this.target, "r+").catch((cause: NodeJS.ErrnoException) => {
      throw cause.code === "ENOENT" ? changed(this.path, "removed") : cause;
    });
    try {
      const { size } = await file.stat();
      if (size < this.least) throw changed(this.path, "cut");
      const end = await endOfLines(file, size);
      try {
        this.least = await writeAt(file, text, end);
        this.count += 1;
      } catch (error) {
        await file.truncate(end);
        throw error;
      }
    } finally {
      await file.close();
    }
  }
}

/**
 * Ends a cassette with a line end, and returns its size: one is added to a whole last line, and a line that a killed recorder did not
 * finish is removed.
 */
async function endOfLines(file: FileHandle, size: number): Promise<number> {
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, Math.max(0, size - 1));
  if (buffer.toString() === LINE_END) return size;
  const bytes = Buffer.alloc(size);
  await file.read(bytes, 0, size, 0);
  const start = bytes.lastIndexOf(LINE_END) + 1;
  if (exactJsonOf(bytes.subarray(start).toString()) !== undefined) return writeAt(file, LINE_END, size);
  await file.truncate(start);
  return start;
}

/** Writes a text, and returns where it ends. */
async function writeAt(file: FileHandle, text: string, at: number): Promise<number> {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length; )
    done += (await file.write(bytes, done, bytes.length - done, at + done)).bytesWritten;
  return at + bytes.length;
}

function changed(path: string, how: string): CassetteError {
  return new CassetteError("cassette_changed", `The cassette ${path} was ${how} while it was recorded`, {
    value: path,
    remedy: "Record again into a file that stays while the recording runs.",
  });
}
