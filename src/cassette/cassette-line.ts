import { z } from "zod";
import type { Json } from "../contract/json.js";

/** Parsed from JSON, so it is some. */
const AnyJson = z.unknown() as unknown as z.ZodType<Json>;

/** Version of the format. */
export const CASSETTE_FORMAT = 1;

/** Stands in a body for a vector, which a line of its own holds. */
export const VECTOR_KEY = "$vec";
/** Stands in a body for an item that an earlier body holds. */
export const SAME_KEY = "$same";

const Digest = z.string().regex(/^[0-9a-f]{16}$/);

/** First line of a cassette. */
export const CassetteHeader = z.strictObject({
  cassette: z.literal(CASSETTE_FORMAT),
  /** Age after which recordings count as expired, ms; absent for never. */
  max_age_ms: z.number().int().min(0).optional(),
});
export type CassetteHeader = Readonly<z.infer<typeof CassetteHeader>>;

/** A vector, by the hash of its numbers. */
export const VectorLine = z.strictObject({ vector: Digest, values: z.array(z.number()) });

/** A request in canonical form: without host and headers, lists and members in a fixed order. */
export const CassetteRequest = z.strictObject({
  method: z.string(),
  /** From `/v1/` on. */
  path: z.string(),
  /** Query parameters by name, ascending; each with its values in order. */
  query: z.record(z.string(), z.array(z.string())).optional(),
  /** The body: JSON, or text where it is none. Integers beyond ±(2^53 − 1) are shown as decimal strings. */
  body: AnyJson.optional(),
});
export type CassetteRequest = Readonly<z.infer<typeof CassetteRequest>>;

/** An answer; its body is JSON, text, or bytes that are no text. */
export const CassetteResponse = z.strictObject({
  status: z.number().int(),
  headers: z.record(z.string(), z.string()),
  json: AnyJson.optional(),
  text: z.string().optional(),
  base64: z.base64().optional(),
});

/** A request with its answer. */
export const CallLine = z.strictObject({
  /** When it was answered, ISO 8601. */
  at: z.iso.datetime(),
  /** How long the answer took. */
  ms: z.number().min(0),
  request: CassetteRequest,
  response: CassetteResponse,
});

/** Any line after the first. */
export const CassetteLine = z.union([CallLine, VectorLine]);
