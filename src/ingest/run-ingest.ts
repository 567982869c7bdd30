import { mkdir, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { type Clock, systemClock } from "../clock.js";
import { IngestError, UsageError } from "../contract/errors.js";
import { PLATFORMS } from "../contract/service/platforms.js";
import { LanguageTag, Timestamp } from "../contract/service/unified-record.js";
import type { SliceItem } from "../contract/slice/slice-item.js";
import type { SliceManifest } from "../contract/slice/slice-manifest.js";
import { writingTo } from "../files/writing-to.js";
import type { DuplicateItem } from "../slice/drop-duplicates.js";
import type { WrittenSlice } from "../slice/publish-slice.js";
import { writeSlices } from "../slice/write-slices.js";
import { CLOCK_SKEW_MS, type StrayCaptures } from "../store/as-of.js";
import type { Adapter, AdapterContext, Converted, Reject } from "./adapters/adapter.js";
import { REJECTS_FILE } from "./defaults.js";
import { at } from "./ingest-error.js";
import { type IngestInput, isInputRows, rowsOfProgram } from "./input-rows.js";
import type { BadFile, FileNotRead, IngestLimits } from "./readers/read-options.js";
import { readSource } from "./readers/read-source.js";
import { ReasonCounts, RejectsFile } from "./rejects-file.js";
import { StagedOutput } from "./staged-output.js";

/** Progress of an ingestion. */
export interface IngestProgress {
  readonly phase: "read" | "write";
  /** Input bytes read and their total; compressed sizes for compressed files. */
  readonly bytesRead: number;
  readonly bytesTotal: number;
  readonly rows: number;
  readonly rejected: number;
  /** Slices written so far. */
  readonly slices: number;
  readonly file: string;
}

/** Options of {@link ingestFiles}. */
export interface IngestFilesOptions {
  readonly adapter: Adapter;
  /** Output folder; must be absent or empty. */
  readonly out: string;
  /** Replace the output of an earlier run at `out`. */
  readonly replace?: boolean;
  /** Capture time of every item, ISO 8601 with offset; overrides the source's. */
  readonly capturedAt?: string;
  /** BCP-47 tag of every item. */
  readonly language?: string;
  /** Platform slug of every item. */
  readonly platform?: string;
  /** Salt of the author hashes; part of the input for "same input, same bytes". */
  readonly authorSalt: string;
  /** Fail at the first reject and leave nothing. */
  readonly strict?: boolean;
  /** Keep what is good where a file cannot be read to its end, and list it in `badFiles`. Default: such a file throws. */
  readonly skipBadFiles?: boolean;
  /** Slices that the output revises; see `writeSlices`. */
  readonly revises?: readonly SliceManifest[];
  readonly limits?: Partial<IngestLimits>;
  readonly onProgress?: (progress: IngestProgress) => void;
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
  /** Called with the staged folder before it becomes `out`. If it throws, nothing is left. */
  readonly beforePublish?: (dir: string, slices: readonly WrittenSlice[]) => Promise<void>;
}

/** Result of an ingestion. Every row read is in the slices, rejected, or unused. */
export interface IngestReport {
  readonly out: string;
  /** Source rows. */
  readonly read: number;
  /** Unified records and raw items in the slices. */
  readonly records: number;
  readonly raw: number;
  /** Rejected source rows, by reason, and duplicates of an id that lost to a newer one. */
  readonly rejected: number;
  readonly rejectsByReason: Readonly<Record<string, number>>;
  /** Source rows that the adapter skipped on purpose, by reason. */
  readonly unused: number;
  readonly unusedByReason: Readonly<Record<string, number>>;
  /** Items captured more than a day after the clock's time, which cannot be true; absent if there are none. */
  readonly stray?: StrayCaptures;
  /** Identical repetitions of an item. */
  readonly duplicates: number;
  /** Path of the rejects file; the file is empty if there were none. */
  readonly rejectsFile: string;
  readonly slices: readonly WrittenSlice[];
  readonly filesNotRead: readonly FileNotRead[];
  /** Files that could not be read to their end; empty unless `skipBadFiles`. */
  readonly badFiles: readonly BadFile[];
  readonly bytesRead: number;
  readonly seconds: number;
}

/**
 * Converts files and folders to slices: reads rows, converts them with the adapter, writes slices and rejects. The output is
 * staged beside `out` and published by one rename; a failure or an abort leaves nothing. The same input and options give the
 * same bytes.
 *
 * @param inputs paths of files and folders, streams of bytes, or the rows of a program
 * @throws IngestError for input that cannot be read or converted, and in strict mode for the first reject; UsageError for
 * an invalid option; the signal's reason when aborted
 */
export async function ingestFiles(inputs: IngestInput, options: IngestFilesOptions): Promise<IngestReport> {
  const { signal, clock = systemClock } = options;
  checkOptions(options);
  signal?.throwIfAborted();
  return writingTo(options.out, () => ingestInto(inputs, options, clock));
}

async function ingestInto(
  inputs: IngestInput,
  options: IngestFilesOptions,
  clock: Clock,
): Promise<IngestReport> {
  const { signal } = options;
  const started = clock.now();
  const staging = await StagedOutput.begin(options.out, options.replace ?? false);
  const run = new Run(options, started + CLOCK_SKEW_MS);
  try {
    const spill = join(staging.dir, "spill");
    await mkdir(spill);
    const rejects = await RejectsFile.create(join(staging.dir, REJECTS_FILE), run.rejects);
    let slices: WrittenSlice[];
    try {
      slices = await writeSlices(run.items(inputs, rejects, { spill, ignore: staging.own }), {
        out: staging.dir,
        info: options.adapter.info,
        hashes: options.adapter.hashes ?? "check",
        revises: options.revises,
        onDuplicate: (duplicate) => run.duplicate(duplicate, rejects),
        onProgress: ({ phase, slices: written }) => {
          if (phase === "write") run.wrote(written);
        },
        signal,
      });
      await rejects.close();
    } finally {
      await rejects.abandon();
    }
    await rm(spill, { recursive: true, force: true });
    signal?.throwIfAborted();
    await options.beforePublish?.(staging.dir, slices);
    await staging.publish();
    return run.report(staging.target, slices, (clock.now() - started) / 1000);
  } catch (error) {
    await staging.discard();
    throw error;
  }
}

function checkOptions({ adapter, capturedAt, language, platform }: IngestFilesOptions): void {
  if (capturedAt !== undefined && !Timestamp.safeParse(capturedAt).success) {
    throw new UsageError("bad_captured_at", `${capturedAt} is not an ISO 8601 instant with an offset`, {
      value: capturedAt,
      remedy: "write it like 2026-05-27T08:00:00Z or 2026-05-27T16:00:00+08:00",
    });
  }
  if (language !== undefined && !LanguageTag.safeParse(language).success) {
    throw new UsageError("bad_language", `${language} is not a BCP-47 language tag`, {
      value: language,
      remedy: "write it like en, zh or pt-BR",
    });
  }
  const slugs = [...adapter.info.platforms, ...PLATFORMS].map(({ slug }) => slug);
  if (platform !== undefined && !slugs.includes(platform)) {
    throw new UsageError("unknown_platform", `There is no platform ${platform}`, {
      value: platform,
      remedy: `name one of ${slugs.join(", ")}`,
    });
  }
}

/** Folder for temporary files, and paths that are never input. */
interface Folders {
  readonly spill: string;
  readonly ignore: readonly string[];
}

/** State and counters of one ingestion. */
class Run {
  readonly rejects = new ReasonCounts();
  private readonly unused = new ReasonCounts();
  private readonly notRead: FileNotRead[] = [];
  private readonly badFiles: BadFile[] = [];
  private rows = 0;
  private records = 0;
  private raw = 0;
  private duplicates = 0;
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
  duplicate({ kind, id, identical, reason }: DuplicateItem, rejects: RejectsFile): void {
    if (kind === "record") this.records--;
    else this.raw--;
    if (identical) this.duplicates++;
    else this.reject({ file: "", line: 0, field: "id", reason: `${reason} (${id})` }, rejects, reason);
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
      rejected: this.rejects.total,
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
      bytesRead: this.read.bytesRead,
      seconds,
    };
  }

  private async *source(inputs: IngestInput, rejects: RejectsFile, { spill, ignore }: Folders) {
    const { adapter, limits, signal } = this.options;
    if (isInputRows(inputs)) {
      const count = (rows: number) => {
        this.rows = rows;
        this.reportProgress("read");
      };
      yield* rowsOfProgram(inputs, adapter.sources, count, signal);
      return;
    }
    const rows = readSource(inputs, {
      sources: adapter.sources,
      ignore,
      tempDirectory: spill,
      unread: adapter.unread,
      limits,
      signal,
      onReject: (reject) => {
        this.reject(reject, rejects);
        return rejects.flushIfLarge();
      },
      onNotRead: (file) => this.notRead.push(file),
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
      const { file, line, field, reason } = reject;
      const place = file === "" ? "the input" : at({ file, line });
      throw new IngestError("strict_reject", `${place}: ${field === "" ? "" : `${field} `}${reason}`, {
        value: reject,
        remedy:
          "repair the input or the mapping, or leave out --strict to collect such rows in rejects.jsonl",
      });
    }
    rejects.add(reject, countAs);
  }

  private context(tempDirectory: string): AdapterContext {
    const { capturedAt, language, platform, signal, authorSalt } = this.options;
    return {
      authorSalt,
      tempDirectory,
      capturedAt,
      language,
      platform,
      signal,
    };
  }

  private reportProgress(phase: IngestProgress["phase"]): void {
    const { read, rows, written: slices, rejects } = this;
    this.options.onProgress?.({ phase, ...read, rows, rejected: rejects.total, slices });
  }
}
