import { PullError } from "../../contract/errors.js";
import { INDEX_FORMAT_VERSION, SliceIndex, type SliceIndexEntry } from "../../contract/slice/slice-index.js";
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
  const parsed = SliceIndex.safeParse(json);
  if (!parsed.success) {
    const issue = parsed.error.issues[0]!;
    throw invalid(where, `${issue.path.join(".") || "the index"}: ${issue.message}`, parsed.error);
  }
  const roots = new Set(parsed.data.slices.map(({ root }) => root));
  if (roots.size < parsed.data.slices.length) throw invalid(where, "it lists a slice twice");
  return parsed.data.slices;
}

function invalid(where: string, reason: string, cause?: unknown): PullError {
  return new PullError("source_invalid", `${where} is no index of slices: ${reason}`, {
    value: where,
    remedy: "give the address of a folder that `mirrorlake publish` wrote; if it is one, it is damaged",
    cause,
  });
}
