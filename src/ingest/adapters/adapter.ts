import type { HashPolicy, SliceItem, SourceInfo } from "../../contract/slice/slice-item.js";
import type { IngestWarning } from "../ingest-warning.js";
import type { SourceRow } from "../readers/source-row.js";
import type { SourceSpec, UnreadFiles } from "./source-spec.js";

/** Source rows that did not become items, and the reason. */
export interface Reject {
  readonly file: string;
  readonly line: number;
  /** 1-based position among the rows of a JSON document, of which several may be on one line. */
  readonly element?: number | undefined;
  /** Path of the offending source or target field; empty for the whole row. */
  readonly field: string;
  readonly reason: string;
  /** Number of source rows this stands for; default 1. Grouped rows are rejected together. */
  readonly rows?: number;
}

/** Source rows that an adapter read and skipped on purpose, such as duplicates and blank separators. */
export interface Unused {
  readonly file: string;
  readonly line: number;
  /** Short, and the same for all rows of a kind, so that reasons can be counted. */
  readonly reason: string;
  /** Number of source rows this stands for; default 1. */
  readonly rows?: number;
}

/**
 * One outcome of conversion. Every source row has exactly one: it is part of one or more items, or counted in one reject or in
 * one unused entry. So rows read − rejected − unused = rows in the slices.
 */
export type Converted =
  | { readonly ok: SliceItem }
  | { readonly reject: Reject }
  | { readonly unused: Unused };

/** Options of an ingestion run, as its adapter sees them. */
export interface AdapterContext {
  /** Capture time of every item (ISO 8601 with offset); overrides the source's. */
  readonly capturedAt?: string;
  /** Secret salt of the author hashes. */
  readonly authorSalt: string;
  /** BCP-47 tag of every item; overrides the adapter's. */
  readonly language?: string;
  /** Platform slug of every item: a shipped one, or one of the adapter's `info.platforms`. */
  readonly platform?: string;
  /** Maximum depth of nested arrays and objects in JSON text that a row holds; default 512. */
  readonly maxDepth?: number;
  /** Folder for spilled groups; the caller creates and removes it. */
  readonly tempDirectory: string;
  readonly signal?: AbortSignal;
  /** Called after the last row with what the adapter expected and no row had. */
  readonly onWarning?: (warning: IngestWarning) => void;
}

/** Converts the rows of one kind of source to slice items. */
export interface Adapter {
  /** Name for `--adapter`. */
  readonly name: string;
  readonly info: SourceInfo;
  /**
   * How a `prov.hash` given by a record is treated. Default: it is checked. An adapter of downloaded records whose source hashes
   * differently sets `keep`; one that computes hashes itself with `recordHash` sets `computed`.
   */
  readonly hashes?: HashPolicy;
  /**
   * Sources in the order in which their rows arrive: all rows of the first source (its files by path), then of the second, and
   * so on. A file belongs to the first source that matches it.
   */
  readonly sources: readonly SourceSpec[];
  readonly unread?: readonly UnreadFiles[];
  /**
   * Converts a stream of batches. Rows that do not fit are yielded as rejects.
   * @throws IngestError if the whole input cannot be converted, for example without a capture time
   */
  convert(
    rows: AsyncIterable<readonly SourceRow[]>,
    context: AdapterContext,
  ): AsyncIterable<readonly Converted[]>;
}
