import { writeSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import { LakeError } from "../contract/errors.js";
import { ENTRIES_PER_SEGMENT, ENTRIES_PER_WRITE, RELAXED_SYNC_MS } from "./defaults.js";
import { encodeFrame } from "./frame.js";
import type { LedgerEntry } from "./ledger-entry.js";
import type { LedgerEnd } from "./ledger-reader.js";
import { createSegment, segmentPath } from "./segment.js";

/**
 * When an entry counts as kept, and its answer may leave. `strict`: when it is on disk; one fdatasync serves all that
 * wait for it. `relaxed`: when the operating system has it, so that a killed process loses nothing, and a power
 * cut at most the last second.
 */
export type Durability = "strict" | "relaxed";

interface Pending {
  readonly entry: LedgerEntry;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Appends entries to the ledger, those that come together in one write, for as long as its process has the turn. */
export class LedgerWriter {
  readonly #dir: string;
  readonly #account: string;
  readonly #durability: Durability;
  readonly #guard: () => Promise<void>;
  #end: LedgerEnd;
  #file: FileHandle | undefined;
  readonly #queue: Pending[] = [];
  #writing: Promise<void> | undefined;
  #syncTimer: NodeJS.Timeout | undefined;
  #syncDue = false;
  #failure: { readonly cause: unknown } | undefined;

  /** @param end The ledger's end, sound and mended. */
  constructor(
    dir: string,
    options: {
      readonly account: string;
      readonly durability: Durability;
      readonly end: LedgerEnd;
      /** Asked before every write; rejects when another process may be writing. */
      readonly guard: () => Promise<void>;
    },
  ) {
    this.#guard = options.guard;
    this.#dir = dir;
    this.#account = options.account;
    this.#durability = options.durability;
    this.#end = options.end;
  }

  /** The end behind all that is kept. */
  get end(): LedgerEnd {
    return this.#end;
  }

  /** Whether a write failed; nothing is written after that. */
  get failed(): boolean {
    return this.#failure !== undefined;
  }

  /** Resolves when the entry is kept. @throws LakeError `ledger_write_failed` */
  append(entry: LedgerEntry): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ entry, resolve, reject });
      this.#writing ??= this.#drain();
    });
  }

  /** Waits until all that was appended is kept or has failed. */
  async flush(): Promise<void> {
    await this.#writing;
  }

  /**
   * Puts all that was appended on disk, marks that it is, and closes the file. What a failed write may have left behind, of which
   * nobody was told, is cut off.
   */
  async close(): Promise<void> {
    await this.#writing;
    clearTimeout(this.#syncTimer);
    try {
      if (this.#failure === undefined) await this.#seal();
      else await this.#cutUnacknowledged();
    } finally {
      const file = this.#file;
      this.#file = undefined;
      await file?.close();
    }
  }

  async #drain(): Promise<void> {
    // Calls that end in the same turn of the event loop share a write.
    await nextTurn();
    while (this.#queue.length > 0 || this.#syncDue) {
      const batch = this.#queue.splice(0, ENTRIES_PER_WRITE);
      try {
        if (this.#failure === undefined && batch.length > 0) await this.#write(batch);
        if (this.#failure === undefined && this.#syncDue) await this.#sync();
        this.#syncDue = false;
      } catch (cause) {
        this.#failure = { cause };
        this.#syncDue = false;
      }
      for (const { resolve, reject } of batch) {
        if (this.#failure === undefined) resolve();
        else reject(writeFailed(this.#dir, this.#failure.cause));
      }
    }
    this.#writing = undefined;
  }

  async #write(batch: readonly Pending[]): Promise<void> {
    if (this.#end.state.seq - this.#end.segmentStart >= ENTRIES_PER_SEGMENT) await this.#startSegment();
    const { position, state, synced } = this.#end;
    if (batch[0]?.entry.seq !== state.seq + 1) throw new Error(`entry ${batch[0]?.entry.seq} is out of turn`);
    let text = "";
    for (const { entry } of batch) text += encodeFrame(synced, JSON.stringify(entry));
    const bytes = Buffer.from(text, "utf8");
    await this.#guard();
    const file = await this.#open();
    writeAll(file, bytes, position.offset);
    if (this.#durability === "strict") await file.datasync();
    for (const { entry } of batch) state.apply(entry);
    this.#end = {
      ...this.#end,
      position: { ...position, offset: position.offset + bytes.length, seq: state.seq },
      synced: this.#durability === "strict" ? state.seq : synced,
    };
    if (this.#durability === "relaxed") this.#syncSoon();
  }

  async #startSegment(): Promise<void> {
    await this.#sync();
    await this.#file?.close();
    this.#file = undefined;
    const { position, state } = this.#end;
    const number = position.number + 1;
    await createSegment(this.#dir, number, this.#account, state.checkpoint());
    const { size, ino } = await (await this.#open(number)).stat({ bigint: true });
    this.#end = {
      ...this.#end,
      position: { number, offset: Number(size), seq: state.seq, inode: ino },
      segmentStart: state.seq,
    };
  }

  async #open(number: number = this.#end.position.number): Promise<FileHandle> {
    this.#file ??= await open(segmentPath(this.#dir, number), "r+");
    return this.#file;
  }

  async #sync(): Promise<void> {
    const { seq } = this.#end.state;
    if (this.#file === undefined || this.#end.synced === seq) return;
    await this.#file.datasync();
    this.#end = { ...this.#end, synced: seq };
  }

  /** Puts all on disk, then says so in a line without an entry: what is damaged before it cannot be a torn tail. */
  async #seal(): Promise<void> {
    if (this.#file === undefined) return;
    await this.#sync();
    const { position, synced } = this.#end;
    const mark = Buffer.from(encodeFrame(synced, ""));
    writeAll(this.#file, mark, position.offset);
    this.#end = { ...this.#end, position: { ...position, offset: position.offset + mark.length } };
  }

  #syncSoon(): void {
    if (this.#syncTimer !== undefined) return;
    this.#syncTimer = setTimeout(() => {
      this.#syncTimer = undefined;
      this.#syncDue = true;
      this.#writing ??= this.#drain();
    }, RELAXED_SYNC_MS).unref();
  }

  async #cutUnacknowledged(): Promise<void> {
    try {
      await this.#guard();
    } catch {
      // The ledger is another process's now, and nothing was written here since the guard last agreed.
      return;
    }
    const file = await this.#open();
    await file.truncate(this.#end.position.offset);
    await file.sync();
  }
}

/** At once: it goes no farther than the system's memory, which takes less time than to wake a thread for it. */
function writeAll(file: FileHandle, bytes: Buffer, offset: number): void {
  for (let written = 0; written < bytes.length; )
    written += writeSync(file.fd, bytes, written, bytes.length - written, offset + written);
}

function writeFailed(dir: string, cause: unknown): LakeError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new LakeError("ledger_write_failed", `The ledger in ${dir} cannot be written: ${why}`, {
    value: dir,
    remedy: "Nothing was charged. See to the disk (space, permissions), then call again.",
    cause,
  });
}
