import { createHash } from "node:crypto";
import { z } from "zod";
import { LakeError } from "../../contract/errors.js";
import { Removal, removalKey } from "../../contract/lake/removal.js";

/** Format version of a lake's removals file. */
const FORMAT_VERSION = 1;

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

  /** The file's text: a header line with the digest of the following lines, one per removal. */
  toText(): { text: string; digest: string } {
    const body = [...this.byKey.values()].map((entry) => `${JSON.stringify(entry)}\n`).join("");
    const digest = createHash("sha256").update(body, "utf8").digest("hex");
    const header = { mirrorlake_removals: FORMAT_VERSION, digest, removals: this.size };
    return { text: `${JSON.stringify(header)}\n${body}`, digest };
  }

  /** Parses the file's text. @throws LakeError `removals_corrupt`, `lake_newer_format` */
  static parse(text: string, path: string): RemovalList {
    const end = text.indexOf("\n");
    const digest = removalsDigest(text.slice(0, end), path);
    const body = text.slice(end + 1);
    if (createHash("sha256").update(body, "utf8").digest("hex") !== digest) {
      throw corrupt(path, "its lines do not match the digest in its header");
    }
    const lines = body.split("\n").filter((line) => line !== "");
    return new RemovalList(lines.map((line) => Entry.parse(JSON.parse(line))));
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
