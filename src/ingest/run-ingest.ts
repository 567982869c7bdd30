import { mkdir, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { type Clock, systemClock } from "../clock.js";
import { IngestError, UsageError } from "../contract/errors.js";
import { PLATFORMS } from "../contract/service/platforms.js";
import { LanguageTag, Timestamp } from "../contract/service/unified-record.js";
import type { SliceItem } from "../contract/slice/slice-item.js";
import type { SliceManifest } from "../contract/slice/slice-manifest.js";
import type { DuplicateItem } from "../slice/drop-duplicates.js";
import type { WrittenSlice } from "../slice/publish-slice.js";
import { writeSlices } from "../slice/write-slices.js";
import type { Adapter, AdapterContext, Converted, Reject } from "./adapters/adapter.js";
import { REJECTS_FILE } from "./defaults.js";
import { at } from "./ingest-error.js";
import type { FileNotRead, IngestLimits } from "./readers/read-options.js";
import { readSource } from "./readers/read-source.js";
import { ReasonCounts, RejectsFile } from "./rejects-file.js";
import { StagedOutput } from "./staged-output.js";

/** How far an ingestion has come. */
export interface IngestProgress {
  readonly phase: "read" | "write";
  /** Bytes of input read, compressed where it is compressed, and of how many. */
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
  /** Folder of the output; must not exist, or be empty. */
  readonly out: string;
  /** Replace the output of an earlier run at `out`. */
  readonly replace?: boolean;
  /** Capture instant of everything, ISO 8601 with offset; overrides what the source says. */
  readonly capturedAt?: string;
  /** BCP-47 tag of everything. */
  readonly language?: string;
  /** Platform slug of everything. */
  readonly platform?: string;
  /** What author ids are hashed with; part of the input as far as "same input, same bytes" goes. */
  readonly authorSalt: string;
  /** Fail at the first reject and leave nothing. */
  readonly strict?: boolean;
  /** Slices of which the output is the revision; see `writeSlices`. */
  readonly revises?: readonly SliceManifest[];
  readonly limits?: Partial<IngestLimits>;
  readonly onProgress?: (progress: IngestProgress) => void;
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
  /** Called when all is made, with the folder that is about to become `out`. Where it throws, nothing is left. */
  readonly beforePublish?: (dir: string, slices: readonly WrittenSlice[]) => Promise<void>;
}

/** What an ingestion did. Of the rows read, those not rejected and not unused are in the slices. */
export interface IngestReport {
  readonly out: string;
  /** Source rows. */
  readonly read: number;
  /** Unified records and raw items in the slices. */
  readonly records: number;
  readonly raw: number;
  /** Source rows rejected, by reason, and duplicates of an id that lost to a newer one. */
  readonly rejected: number;
  readonly rejectsByReason: Readonly<Record<string, number>>;
  /** Source rows that the adapter left out on purpose, by reason. */
  readonly unused: number;
  readonly unusedByReason: Readonly<Record<string, number>>;
  /** Items that were there twice, the same both times. */
  readonly duplicates: number;
  /** The file of rejects; empty when there were none. */
  readonly rejectsFile: string;
  readonly slices: readonly WrittenSlice[];
  readonly filesNotRead: readonly FileNotRead[];
  readonly bytesRead: number;
  readonly seconds: number;
}

/**
 * Turns files and folders into slices: reads their rows, converts them by the adapter, writes slices and rejects. Everything is
 * made beside `out` and becomes visible by one rename; on failure or abort nothing is left. The same input and options
 * give the same bytes.
 *
 * @param inputs paths of files and folders
 * @throws IngestError for input that cannot be read or converted, and in strict mode for the first reject; UsageError for
 * an option that is not valid; the signal's reason when aborted
 */
export async function ingestFiles(
  inputs: readonly string[],
  options: IngestFilesOptions,
): Promise<IngestReport> {
  const { signal, clock = systemClock } = options;
  checkOptions(options);
  signal?.throwIfAborted();
  const started = clock.now();
  const staging = await StagedOutput.begin(options.out, options.replace ?? false);
  const run = new Run(options);
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

/** Where temporary things go, and what is no input although it may lie among it. */
interface Folders {
  readonly spill: string;
  readonly ignore: readonly string[];
}

/** What one ingestion counts on its way. */
class Run {
  readonly rejects = new ReasonCounts();
  private readonly unused = new ReasonCounts();
  private readonly notRead: FileNotRead[] = [];
  private rows = 0;
  private records = 0;
  private raw = 0;
  private duplicates = 0;
  private read = { bytesRead: 0, bytesTotal: 0, file: "" };
  private written = 0;

  constructor(private readonly options: IngestFilesOptions) {}

  /** The items of the inputs; rejects and unused rows are taken out on the way. */
  async *items(
    inputs: readonly string[],
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

  /** Counts an item that lost its place to another of the same id. */
  duplicate({ kind, id, identical, reason }: DuplicateItem, rejects: RejectsFile): void {
    if (kind === "record") this.records--;
    else this.raw--;
    if (identical) this.duplicates++;
    else this.reject({ file: "", line: 0, field: "id", reason: `${reason} (${id})` }, rejects, reason);
  }

  wrote(slices: number): void {
    this.written = slices;
    this.tell("write");
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
      duplicates: this.duplicates,
      rejectsFile: join(out, REJECTS_FILE),
      slices: slices.map((slice) => ({ ...slice, dir: join(out, basename(slice.dir)) })),
      filesNotRead: this.notRead,
      bytesRead: this.read.bytesRead,
      seconds,
    };
  }

  private async *source(inputs: readonly string[], rejects: RejectsFile, { spill, ignore }: Folders) {
    const { adapter, limits, signal } = this.options;
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
      onProgress: ({ rows: count, ...read }) => {
        this.rows = count;
        this.read = read;
        this.tell("read");
      },
    });
    yield* rows;
  }

  private sort(batch: readonly Converted[], rejects: RejectsFile): SliceItem[] {
    const items: SliceItem[] = [];
    for (const converted of batch) {
      if ("ok" in converted) {
        items.push(converted.ok);
        if (converted.ok.kind === "record") this.records++;
        else this.raw++;
      } else if ("reject" in converted) this.reject(converted.reject, rejects);
      else this.unused.add(converted.unused.reason, converted.unused.rows);
    }
    return items;
  }

  private reject(reject: Reject, rejects: RejectsFile, countAs?: string): void {
    if (this.options.strict) {
      const { file, line, field, reason } = reject;
      const place = file === "" ? "the input" : at({ file, line });
      throw new IngestError("strict_reject", `${place}: ${field === "" ? "" : `${field} `}${reason}`, {
        value: reject,
        remedy: "mend the input or the mapping, or leave out --strict to have such rows in rejects.jsonl",
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

  private tell(phase: IngestProgress["phase"]): void {
    const { read, rows, written: slices, rejects } = this;
    this.options.onProgress?.({ phase, ...read, rows, rejected: rejects.total, slices });
  }
}
