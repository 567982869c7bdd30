import type { EntriesSince } from "./account-store.js";
import type { LedgerEntry } from "./ledger-entry.js";
import { EMPTY_LEDGER, type LedgerCheckpoint, LedgerState } from "./ledger-state.js";
import { readSegment, type SegmentContent, type SegmentPosition } from "./read-segment.js";
import { ledgerCorrupt, listSegments, readHeader, segmentPath } from "./segment.js";

/** What reading the ledger brought. */
export interface LedgerUpdate {
  /** Present when the reading began anew: what the ledger summed to before `entries`. */
  readonly checkpoint?: LedgerCheckpoint;
  readonly entries: readonly LedgerEntry[];
  /** The segments as they were found, damage included. */
  readonly contents: readonly SegmentContent[];
}

/** The end of the ledger, as far as it was read. */
export interface LedgerEnd {
  readonly position: SegmentPosition;
  /** What the entries up to there add up to. */
  readonly state: LedgerState;
  /** Number of the last entry before the position's segment. */
  readonly segmentStart: number;
  /** Number of the last entry that is known to be on disk. */
  readonly synced: number;
}

/** Follows the ledger's segment files as they grow, checking every number and every running balance. */
export class LedgerReader {
  readonly #dir: string;
  #end: LedgerEnd | undefined;

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** Where the last reading ended; undefined when nothing was there. */
  get end(): LedgerEnd | undefined {
    return this.#end;
  }

  /** Forgets what was read: the next reading begins anew. */
  forget(): void {
    this.#end = undefined;
  }

  /** Tells the reader what its own process has appended since. */
  moveTo(end: LedgerEnd): void {
    this.#end = end;
  }

  /**
   * Reads what is new since the last time; anew, from the last segment but one, when that is the first time or the files are no
   * longer those that were read. An unfinished tail is left unread.
   * @throws LakeError `ledger_corrupt`, `ledger_newer_format`
   */
  async read(): Promise<LedgerUpdate> {
    const segments = await listSegments(this.#dir);
    const grown = this.#end === undefined ? undefined : await this.#readOn(segments, this.#end);
    if (grown !== undefined) return grown;
    this.#end = undefined;
    const contents: SegmentContent[] = [];
    for (const number of segments.slice(-2)) contents.push(await this.#read(segments, number));
    const checkpoint = contents[0]?.header?.checkpoint ?? EMPTY_LEDGER;
    return { checkpoint, entries: contents.flatMap((content) => content.entries), contents };
  }

  /** Every entry in order, from the segment on that may hold the first that is asked for. */
  async *entries(since: EntriesSince): AsyncIterable<LedgerEntry> {
    const segments = await listSegments(this.#dir);
    const first = await this.#firstSince(segments, since);
    for (const number of segments.slice(first)) {
      const content = await readSegment(this.#dir, number, { sealed: number !== segments.at(-1) });
      if (content !== undefined) yield* content.entries;
    }
  }

  async #readOn(segments: readonly number[], end: LedgerEnd): Promise<LedgerUpdate | undefined> {
    const index = segments.indexOf(end.position.number);
    if (index < 0) return undefined;
    const contents: SegmentContent[] = [];
    for (const number of segments.slice(index)) {
      const from = number === end.position.number ? end.position : undefined;
      const sealed = number !== segments.at(-1);
      const content = await readSegment(
        this.#dir,
        number,
        from === undefined ? { sealed } : { sealed, from },
      );
      if (content === undefined) return undefined;
      this.#adopt(content);
      contents.push(content);
    }
    return { entries: contents.flatMap((content) => content.entries), contents };
  }

  async #read(segments: readonly number[], number: number): Promise<SegmentContent> {
    const content = await readSegment(this.#dir, number, { sealed: number !== segments.at(-1) });
    if (content === undefined) throw ledgerCorrupt(segmentPath(this.#dir, number), 0, "it is gone");
    this.#adopt(content);
    return content;
  }

  #adopt(content: SegmentContent): void {
    const { header, entries, position } = content;
    const path = segmentPath(this.#dir, position.number);
    const state = this.#end?.state ?? new LedgerState(header?.checkpoint);
    if (header !== undefined && !sameSums(header.checkpoint, state.checkpoint())) {
      throw ledgerCorrupt(path, 0, "it does not open with the sums that the segment before it closes with");
    }
    for (const entry of entries) {
      state.apply(entry);
      if (entry.balance !== state.balance.toString()) {
        throw ledgerCorrupt(path, position.offset, `entry ${entry.seq} states a balance that is not the sum`);
      }
    }
    const segmentStart = header?.checkpoint.seq ?? this.#end?.segmentStart ?? 0;
    this.#end = { position, state, segmentStart, synced: Math.max(this.#end?.synced ?? 0, content.synced) };
  }

  async #firstSince(segments: readonly number[], since: EntriesSince): Promise<number> {
    const { fromMs = Number.NEGATIVE_INFINITY, afterSeq = 0 } = since;
    // What comes first in a segment says what came before it: the last segment that begins early enough will do.
    let [low, high] = [0, segments.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      const { checkpoint } = await readHeader(this.#dir, segments[middle] as number);
      if (checkpoint.latest_at < fromMs || checkpoint.seq <= afterSeq) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

function sameSums(a: LedgerCheckpoint, b: LedgerCheckpoint): boolean {
  return a.seq === b.seq && a.balance === b.balance && a.topped_up === b.topped_up;
}
