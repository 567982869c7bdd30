import type { Clock } from "../clock.js";
import { UsageError } from "../contract/errors.js";
import { PLATFORMS } from "../contract/service/platforms.js";
import { LanguageTag, Timestamp } from "../contract/service/unified-record.js";
import type { SliceManifest } from "../contract/slice/slice-manifest.js";
import type { WrittenSlice } from "../staging/publish-slice.js";
import type { Adapter } from "./adapters/adapter.js";
import type { IngestProgress } from "./ingest-report.js";
import type { IngestLimits } from "./readers/read-options.js";

/** Options of `ingestFiles`. */
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
  /** Whether a slice that is as the one it revises is written again as it was; see `writeSlices`. */
  readonly keepSame?: boolean;
  readonly limits?: Partial<IngestLimits>;
  readonly onProgress?: (progress: IngestProgress) => void;
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
  /** Called with the staged folder before it becomes `out`. If it throws, nothing is left. */
  readonly beforePublish?: (dir: string, slices: readonly WrittenSlice[]) => Promise<void>;
}

/** Refuses options that cannot be meant. @throws UsageError `bad_captured_at`, `bad_language`, `unknown_platform` */
export function checkFilesOptions({ adapter, capturedAt, language, platform }: IngestFilesOptions): void {
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
