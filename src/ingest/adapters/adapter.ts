import type { HashPolicy, SliceItem, SourceInfo } from "../../contract/slice/slice-item.js";
import type { SourceRow } from "../readers/source-row.js";
import type { SourceSpec, UnreadFiles } from "./source-spec.js";

/** Source rows that did not become items, and why. */
export interface Reject {
  readonly file: string;
  readonly line: number;
  /** Path of the source or target field at fault; empty where the row as a whole is. */
  readonly field: string;
  readonly reason: string;
  /** How many source rows this stands for; 1 where absent. Grouped rows are rejected together. */
  readonly rows?: number;
}

/** Source rows that an adapter read and left out on purpose: duplicates, blank separators. */
export interface Unused {
  readonly file: string;
  readonly line: number;
  /** Short and the same for all rows of its kind, so that it can be counted by. */
  readonly reason: string;
  /** How many source rows this stands for; 1 where absent. */
  readonly rows?: number;
}

/**
 * One outcome of conversion. Every source row has exactly one fate: it went into one or more items, or is counted in one
 * reject, or in one unused note; so rows read − rejected − unused = rows that are in the slices.
 */
export type Converted =
  | { readonly ok: SliceItem }
  | { readonly reject: Reject }
  | { readonly unused: Unused };

/** What a run of ingestion tells its adapter. */
export interface AdapterContext {
  /** Capture instant of everything (ISO 8601 with offset); overrides the source's own. */
  readonly capturedAt?: string;
  /** Secret that author ids are hashed with. */
  readonly authorSalt: string;
  /** BCP-47 tag of everything; overrides the adapter's own. */
  readonly language?: string;
  /** Platform slug of everything: one that ships with Mirrorlake or one of the adapter's `info.platforms`. */
  readonly platform?: string;
  /** Folder for what grouping spills; the caller makes it and removes it. */
  readonly tempDirectory: string;
  readonly signal?: AbortSignal;
}

/** Turns the rows of one shape of source into slice items. */
export interface Adapter {
  /** As `--adapter` names it. */
  readonly name: string;
  readonly info: SourceInfo;
  /**
   * What happens to a `prov.hash` that a record brings: it is checked by default. An adapter of downloaded records whose
   * source computes its hashes in another way says `keep`; one that computes them itself with `recordHash`, `computed`.
   */
  readonly hashes?: HashPolicy;
  /**
   * What to read, in the order in which the rows must arrive: all rows of the first source (its files by path), then of the
   * second, and so on. A file belongs to the first source that matches it.
   */
  readonly sources: readonly SourceSpec[];
  readonly unread?: readonly UnreadFiles[];
  /**
   * Converts a stream of batches. Rows that do not fit come out as rejects.
   * @throws IngestError when the input as a whole cannot be converted, such as without a capture instant.
   */
  convert(
    rows: AsyncIterable<readonly SourceRow[]>,
    context: AdapterContext,
  ): AsyncIterable<readonly Converted[]>;
}
