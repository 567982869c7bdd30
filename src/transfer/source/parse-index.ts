import type { z } from "zod";
import { PullError } from "../../contract/errors.js";
import { firstRule } from "../../contract/rule-text.js";
import {
  INDEX_FORMAT_VERSION,
  MAX_SLICES,
  SliceIndex,
  SliceIndexEntry,
} from "../../contract/slice/slice-index.js";
import { safeUrl } from "./http-client.js";

/**
 * Reads the index of a published folder, which is not trusted.
 * @throws PullError `source_invalid`, `source_newer_format`
 */
export function parseIndex(bytes: Uint8Array, url: string): readonly SliceIndexEntry[] {
  const where = safeUrl(url);
  let json: unknown;
  try {
    json = JSON.parse(Buffer.from(bytes).toString("utf8"));
  } catch (cause) {
    throw invalid(where, (cause as Error).message, cause);
  }
  const version = (json as { formatVersion?: unknown } | null)?.formatVersion;
  if (typeof version === "number" && version > INDEX_FORMAT_VERSION) {
    throw new PullError(
      "source_newer_format",
      `${where} has format version ${version}, this library reads up to ${INDEX_FORMAT_VERSION}`,
      { value: version, remedy: "update mirrorlake" },
    );
  }
  const entries = (json as { slices?: unknown } | null)?.slices;
  check(where, SliceIndex, { ...(json as object), slices: Array.isArray(entries) ? [] : entries });
  // One by one, up to the first fault: a hostile index may have millions, and each report of one costs a kilobyte.
  const slices: SliceIndexEntry[] = [];
  const roots = new Set<string>();
  for (const [at, entry] of (entries as unknown[]).entries()) {
    if (at >= MAX_SLICES) throw invalid(where, `it lists more than ${MAX_SLICES} slices`);
    const slice = check(where, SliceIndexEntry, entry, `slices.${at}`);
    if (roots.has(slice.root)) throw invalid(where, "it lists a slice twice");
    roots.add(slice.root);
    slices.push(slice);
  }
  return slices;
}

function check<T>(where: string, schema: z.ZodType<T>, value: unknown, place = ""): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw invalid(where, firstRule(parsed.error, "the index", [place]), parsed.error);
}

function invalid(where: string, reason: string, cause?: unknown): PullError {
  return new PullError("source_invalid", `${where} is no index of slices: ${reason}`, {
    value: where,
    remedy: "give the address of a folder that `mirrorlake publish` wrote; if it is one, it is damaged",
    cause,
  });
}
