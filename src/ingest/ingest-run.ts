import { basename, join } from "node:path";
import { IngestError } from "../contract/errors.js";
import type { SliceItem } from "../contract/slice/slice-item.js";
import type { DuplicateItem } from "../staging/drop-duplicates.js";
import type { WrittenSlice } from "../staging/publish-slice.js";
import type { AdapterContext, Converted, Reject } from "./adapters/adapter.js";
import { INGEST_LIMITS, REJECTS_FILE } from "./defaults.js";
import { at } from "./ingest-error.js";
import type { IngestFilesOptions } from "./ingest-files-options.js";
import type { IngestProgress, IngestReport } from "./ingest-report.js";
import type { IngestWarning } from "./ingest-warning.js";
import { type IngestInput, isInputRows, rowsOfProgram } from "./input-rows.js";
import type { BadFile, FileNotRead } from "./readers/read-options.js";
import { readSource } from "./readers/read-source.js";
import { ReasonCounts, type RejectsFile } from "./rejects-file.js";

/** Folder for temporary files, and paths that are never input. */
interface Folders {
  readonly spill: string;
  readonly ignore: readonly string[];
}

/** What one ingestion makes of its rows, and its counters. */
export class IngestRun {
  readonly rejects = new ReasonCounts();
  private readonly unused = new ReasonCounts();
  private readonly notRead: FileNotRead[] = [];
  private readonly badFiles: BadFile[] = [];
  private readonly warnings: IngestWarning[] = [];
  private rows = 0;
  private records = 0;
  private raw = 0;
  private duplicates = 0;
  private rejectedItems = 0;
  private lostRows = 0;
  private strays = 0;
  private newestMs = 0;
  private read = { bytesRead: 0, bytesTotal: 0, file: "" };
  private written = 0;

  constructor(
    private readonly options: IngestFilesOptions,
    /** Time after which nothing can be captured, epoch ms. */
    private readonly latestMs: number,
  ) {}

  /** Yields the items of the inputs; counts rejects and unused rows. */
  async *items(
    inputs: IngestInput,
    rejects: RejectsFile,
    folders: Folders,
  ): AsyncGenerator<SliceItem[], void, void> {
    const { adapter, signal } = this.options;
    for await (const batch of adapter.convert(
      this.source(inputs, rejects, folders),
      this.context(folders.spill),
    )) {
      signal?.throwIfAborted();
      const items = this.sort(batch, rejects);
      await rejects.flushIfLarge();
      if (items.length > 0) yield items;
    }
  }

  /** Counts an item that lost to another with the same id. */
  duplicate({ kind, id, identical, reason, at: place, kept }: DuplicateItem, rejects: RejectsFile): void {
    if (kind === "record") this.records--;
    else this.raw--;
    if (identical) {
      this.duplicates++;
      return;
    }
    this.rejectedItems++;
    const { file, line, element } = place ?? { file: "", line: 0, element: undefined };
    const other = kept === undefined ? "" : `, that of ${at(kept)}`;
    this.reject({ file, line, element, field: "id", reason: `${reason} (${id}${other})` }, rejects, reason);
  }

  /** Counts rows of which nothing is left, because their items lost to others. */
  lost(rows: number): void {
    this.lostRows += rows;
  }

  wrote(slices: number): void {
    this.written = slices;
    this.reportProgress("write");
  }

  report(out: string, slices: readonly WrittenSlice[], seconds: number): IngestReport {
    return {
      out,
      read: this.rows,
      records: this.records,
      raw: this.raw,
      rejected: this.rejected,
      rejectedItems: this.rejectedItems,
      rejectsByReason: this.rejects.entries(),
      unused: this.unused.total,
      unusedByReason: this.unused.entries(),
      stray:
        this.strays === 0 ? undefined : { count: this.strays, newest: new Date(this.newestMs).toISOString() },
      duplicates: this.duplicates,
      rejectsFile: join(out, REJECTS_FILE),
      slices: slices.map((slice) => ({ ...slice, dir: join(out, basename(slice.dir)) })),
      filesNotRead: this.notRead,
      badFiles: this.badFiles,
      warnings: this.warnings,
      bytesRead: this.read.bytesRead,
      seconds,
    };
  }

  private async *source(inputs: IngestInput, rejects: RejectsFile, { spill, ignore }: Folders) {
    const { adapter, limits, signal } = this.options;
    const onReject = (reject: Reject) => {
      this.reject(reject, rejects);
      return rejects.flushIfLarge();
    };
    if (isInputRows(inputs)) {
      const onRows = (rows: number) => {
        this.rows = rows;
        this.reportProgress("read");
      };
      const { maxDepth = INGEST_LIMITS.maxDepth } = limits ?? {};
      yield* rowsOfProgram(inputs, adapter.sources, { onRows, onReject, maxDepth, signal });
      return;
    }
    const rows = readSource(inputs, {
      sources: adapter.sources,
      ignore,
      tempDirectory: spill,
      unread: adapter.unread,
      limits,
      signal,
      onReject,
      onNotRead: (file) => this.notRead.push(file),
      onWait: (file) => {
        this.read = { ...this.read, file };
        this.reportProgress("wait");
      },
      onBadFile: this.options.skipBadFiles ? (file) => this.badFiles.push(file) : undefined,
      onProgress: ({ rows: count, ...read }) => {
        this.rows = count;
        this.read = read;
        this.reportProgress("read");
      },
    });
    yield* rows;
  }

  private sort(batch: readonly Converted[], rejects: RejectsFile): SliceItem[] {
    const items: SliceItem[] = [];
    for (const converted of batch) {
      if ("ok" in converted) {
        items.push(converted.ok);
        this.noteCapture(converted.ok);
        if (converted.ok.kind === "record") this.records++;
        else this.raw++;
      } else if ("reject" in converted) this.reject(converted.reject, rejects);
      else this.unused.add(converted.unused.reason, converted.unused.rows);
    }
    return items;
  }

  private noteCapture(item: SliceItem): void {
    const ms = Date.parse(item.kind === "record" ? item.record.prov.ts : item.raw.captured_at);
    if (!(ms > this.latestMs)) return;
    this.strays++;
    this.newestMs = Math.max(this.newestMs, ms);
  }

  private reject(reject: Reject, rejects: RejectsFile, countAs?: string): void {
    if (this.options.strict) {
      const { file, line, element, field, reason } = reject;
      const place = file === "" ? "the input" : at({ file, line, element });
      throw new IngestError("strict_reject", `${place}: ${field === "" ? "" : `${field} `}${reason}`, {
        value: reject,
        remedy:
          "repair the input or the mapping, or leave out --strict to collect such rows in rejects.jsonl",
      });
    }
    rejects.add(reject, countAs);
  }

  private context(tempDirectory: string): AdapterContext {
    const { capturedAt, language, platform, signal, authorSalt, limits } = this.options;
    return {
      maxDepth: limits?.maxDepth,
      authorSalt,
      tempDirectory,
      capturedAt,
      language,
      platform,
      signal,
      onWarning: (warning) => this.warnings.push(warning),
    };
  }

  private reportProgress(phase: IngestProgress["phase"]): void {
    const { read, rows, written: slices, rejected } = this;
    this.options.onProgress?.({ phase, ...read, rows, rejected, slices });
  }

  /** Rejected rows; the items among the rejects are none. */
  private get rejected(): number {
    return this.rejects.total - this.rejectedItems + this.lostRows;
  }
}
