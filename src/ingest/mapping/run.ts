import { IngestError, UsageError } from "../../contract/errors.js";
import type { Platform } from "../../contract/service/platforms.js";
import type { AdapterContext } from "../adapters/adapter.js";
import { FieldError } from "../values/field-error.js";
import { isoText, parseTimeFormat } from "../values/time-format.js";
import { parseZone } from "../values/zone.js";
import { PathAudit } from "./path-audit.js";

/** Settings of one conversion. */
export interface Run {
  readonly authorSalt: string;
  /** What the mapping's paths lead to in this run. */
  readonly audit: PathAudit;
  readonly language: string | undefined;
  /** Platform of every item; overrides all others. */
  readonly platform: Platform | undefined;
  /** Capture time that the caller gave for all items, ISO 8601. */
  readonly givenCapture: string | undefined;
  /**
   * Capture time of an item: `--captured-at`, else the source's own, given as ISO 8601.
   * @throws FieldError if there is neither
   */
  capturedAt(own: unknown): string;
}

/**
 * Checks the caller's settings of an ingestion.
 * @param namesCapture whether the adapter finds a capture time in the source
 * @throws UsageError for an unknown platform or an invalid time
 * @throws IngestError `captured_at_missing` if neither the caller nor the source gives a capture time
 */
export function startRun(
  context: AdapterContext,
  platforms: ReadonlyMap<string, Platform>,
  namesCapture: boolean,
): Run {
  const { capturedAt, platform: slug } = context;
  const platform = slug === undefined ? undefined : platforms.get(slug);
  if (slug !== undefined && platform === undefined) {
    throw new UsageError("unknown_platform", `${JSON.stringify(slug)} is not a platform`, {
      value: slug,
      remedy: `Name one of ${[...platforms.keys()].join(", ")}, or declare it in the mapping's info.platforms.`,
    });
  }
  const instant = parseTimeFormat("iso")!.parse(capturedAt, parseZone("UTC")!);
  if (capturedAt !== undefined && instant === undefined) {
    throw new UsageError("invalid_captured_at", `${JSON.stringify(capturedAt)} is not an instant`, {
      value: capturedAt,
      remedy: "Write ISO 8601 with an offset, such as 2024-05-01T00:00:00+00:00.",
    });
  }
  if (capturedAt === undefined && !namesCapture) {
    throw new IngestError("captured_at_missing", "the source has no capture time", {
      remedy: "Pass it with --captured-at, as ISO 8601 with an offset.",
    });
  }
  const given = instant && isoText(instant);
  return {
    authorSalt: context.authorSalt,
    audit: new PathAudit(),
    language: context.language,
    platform,
    givenCapture: given,
    capturedAt(own) {
      if (given !== undefined) return given;
      if (typeof own !== "string")
        throw new FieldError("prov.ts", "has no capture time; pass it with --captured-at");
      return own;
    },
  };
}
