import { createHash } from "node:crypto";
import { z } from "zod";
import { LakeError } from "../../contract/errors.js";
import { Removal, removalKey } from "../../contract/lake/removal.js";
import { EventLoopTurn } from "../../event-loop-turn.js";

/** Format version of a lake's removals file. */
const FORMAT_VERSION = 1;

/** Milliseconds of a turn of the event loop in which removals are gone through. */
export const REMOVALS_TURN_MS = 10;

/** Removals whose lines are made at once, and bytes of the file that are hashed at once. */
const LINES_AT_ONCE = 1024;
const HASHED_BYTES = 1 << 20;

const Header = z.strictObject({
  mirrorlake_removals: z.number().int(),
  /** SHA-256 of the bytes after the header line. */
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  removals: z.number().int().min(0),
});

const Entry = z.strictObject({
  removal: Removal,
  /** Time of removal, ISO 8601. */
  at: z.string(),
  reason: z.string(),
  /** Whether it is derived from another removal. */
  derived: z.literal(true).optional(),
});

/** A removal with its time and reason. */
export type RemovalEntry = Readonly<z.infer<typeof Entry>>;

/** The tombstones of a lake: every removal by a takedown, and every derived one. It only grows. */
export class RemovalList {
  private readonly byKey = new Map<string, RemovalEntry>();

  constructor(entries: Iterable<RemovalEntry> = []) {
    for (const entry of entries) this.add(entry);
  }

  /** Adds a removal; returns false if it exists. A removal by a takedown stays one when it is derived later. */
  add(entry: RemovalEntry): boolean {
    const key = removalKey(entry.removal);
    const known = this.byKey.get(key);
    if (known !== undefined && (known.derived === undefined || entry.derived === true)) return false;
    this.byKey.set(key, entry);
    return known === undefined;
  }

  /** Whether a removal is in the list, given or derived. */
  has(removal: Removal): boolean {
    return this.byKey.has(removalKey(removal));
  }

  /** Number of removals. */
  get size(): number {
    return this.byKey.size;
  }

  /** Entries in the order in which they were first added. */
  entries(): Iterable<RemovalEntry> {
    return this.byKey.values();
  }

  /** Removals without time and reason, in the same order. */
  *removals(): Generator<Removal, void, void> {
    for (const { removal } of this.byKey.values()) yield removal;
  }

  /** SHA-256 of the file's lines, one for each removal: it names the state of the removals. */
  async digest(signal?: AbortSignal): Promise<string> {
    const hash = createHash("sha256");
    for await (const lines of this.lines()) {
      signal?.throwIfAborted();
      hash.update(lines, "utf8");
    }
    return hash.digest("hex");
  }

  /** The file's text, in pieces: a header line with the digest of the following lines, and these. */
  async *text(digest: string): AsyncGenerator<string, void, void> {
    const header = { mirrorlake_removals: FORMAT_VERSION, digest, removals: this.size };
    yield `${JSON.stringify(header)}\n`;
    yield* this.lines();
  }

  private async *lines(): AsyncGenerator<string, void, void> {
    const turn = new EventLoopTurn(REMOVALS_TURN_MS);
    let lines = "";
    let count = 0;
    for (const entry of this.byKey.values()) {
      lines += `${JSON.stringify(entry)}\n`;
      if (++count % LINES_AT_ONCE !== 0) continue;
      yield lines;
      lines = "";
      if (turn.isOver()) await turn.next();
    }
    yield lines;
  }

  /** Parses the file's bytes. @throws LakeError `removals_corrupt`, `lake_newer_format` */
  static async parse(bytes: Buffer, path: string): Promise<RemovalList> {
    const turn = new EventLoopTurn(REMOVALS_TURN_MS);
    let start = bytes.indexOf("\n") + 1;
    const digest = removalsDigest(bytes.toString("utf8", 0, start), path);
    const hash = createHash("sha256");
    for (let at = start; at < bytes.length; at += HASHED_BYTES) {
      if (turn.isOver()) await turn.next();
      hash.update(bytes.subarray(at, at + HASHED_BYTES));
    }
    if (hash.digest("hex") !== digest) throw corrupt(path, "its lines do not match the digest in its header");
    const list = new RemovalList();
    for (let end: number; start < bytes.length; start = end + 1) {
      if (turn.isOver()) await turn.next();
      end = bytes.indexOf("\n", start);
      list.add(Entry.parse(JSON.parse(bytes.toString("utf8", start, end))));
    }
    return list;
  }
}

/** The digest in the header line of a removals file. @throws LakeError `removals_corrupt`, `lake_newer_format` */
export function removalsDigest(headerLine: string, path: string): string {
  let header: z.infer<typeof Header>;
  try {
    header = Header.parse(JSON.parse(headerLine));
  } catch (cause) {
    throw corrupt(path, "its first line is not a header", cause);
  }
  if (header.mirrorlake_removals > FORMAT_VERSION) {
    throw new LakeError("lake_newer_format", `The removals of this lake are of a newer format: ${path}`, {
      value: header.mirrorlake_removals,
      remedy: "update mirrorlake",
    });
  }
  return header.digest;
}

function corrupt(path: string, reason: string, cause?: unknown): LakeError {
  return new LakeError(
    "removals_corrupt",
    `${path} is damaged: ${reason}; what was removed must not be shown`,
    {
      value: path,
      remedy: "restore the file from a backup, or make a new lake and apply the takedown lists to it",
      cause,
    },
  );
}
