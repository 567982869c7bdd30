import { z } from "zod";
import { checkArgument } from "../contract/check-options.js";
import { UsageError } from "../contract/errors.js";
import { TOOL_DEFAULTS } from "./defaults.js";

/** What a citation says of a record. */
export interface Citation {
  /** Slug of the platform. */
  readonly platform: string;
  /** Id of the record, or `<resource>:<parent>:<item>` of an item of a list. */
  readonly id: string;
  /** When it was captured, ISO 8601. */
  readonly capturedAt: string;
  /** The first hexadecimal digits of `prov.hash`, without `0x`. */
  readonly hash: string;
}

const CitationArgument = z.object({
  platform: z.string(),
  id: z.string(),
  capturedAt: z.string(),
  hash: z.string(),
});

/** Writes a citation: `short-video/soc_shv_73@2026-05-29T12:00:00Z#1a2b3c4d5e6f7a8b`. @throws UsageError `invalid_argument` */
export function formatCitation(citation: Citation): string {
  checkArgument(CitationArgument, citation, "citation", "formatCitation");
  return citationText(citation);
}

function citationText({ platform, id, capturedAt, hash }: Citation): string {
  return `${platform}/${id}@${capturedAt}#${hash}`;
}

/** Reads a citation of an answer. @throws UsageError `invalid_citation`, `invalid_argument` */
export function parseCitation(text: string): Citation {
  checkArgument(z.string(), text, "text", "parseCitation");
  const citation = citationIn(text);
  if (citation !== undefined) return citation;
  throw new UsageError("invalid_citation", `Not a citation: ${text.slice(0, 200)}`, {
    value: text,
    remedy: "Give a citation as an answer has it: <platform>/<id>@<captured>#<hash>.",
  });
}

/** What a text says of a record if it is a citation; else undefined. */
export function citationIn(text: string): Citation | undefined {
  const match = /^([a-z][a-z0-9-]{0,39})\/(\S+)@([0-9T:.+Z-]+)#([0-9a-f]{4,64})$/.exec(text);
  if (match === null) return undefined;
  const [, platform, id, capturedAt, hash] = match;
  return { platform: platform!, id: id!, capturedAt: capturedAt!, hash: hash! };
}

/** Provenance as an answer has it (service.md section 2.3). */
export interface Provenance {
  readonly hash: string;
  readonly ts: string;
}

/** Whether a value is provenance. */
export function isProvenance(value: unknown): value is Provenance {
  const { hash, ts } = (value ?? {}) as Partial<Record<string, unknown>>;
  return typeof hash === "string" && typeof ts === "string";
}

/** Cites a thing by its provenance. */
export function cite(platform: string, id: string, { hash, ts }: Provenance): string {
  const digits = hash.replace(/^0x/, "").slice(0, TOOL_DEFAULTS.citedDigits);
  return citationText({ platform, id, capturedAt: ts, hash: digits });
}
