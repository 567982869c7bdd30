import { z } from "zod";
import { JsonObject } from "../../json.js";
import { Label } from "../label.js";
import { OPERATIONS, type Operation } from "../operations.js";
import { PlatformSlug } from "../platforms.js";

/** Version of the format that catalogue files declare. */
export const CATALOGUE_FILE_VERSION = 1;

/** An endpoint's id: `search`, `raw.<platform>.<resource>`, or another dotted name. */
export const EndpointIdText = z
  .string()
  .max(200)
  .regex(/^[a-z0-9][a-z0-9_-]*(\.[a-z0-9][a-z0-9_-]*)*$/, "must be lower-case names joined by dots");

const name = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,79}$/, "must be lower-case letters, digits, - and _");

/**
 * A row of a catalogue file. Only `id` is required. The defaults come from the row with the same id; else from the id and the
 * operation. `params` and `data` are JSON Schemas (draft 2020-12).
 */
export const CatalogueFileRow = z.strictObject({
  id: EndpointIdText,
  group: name.optional(),
  method: z.enum(["GET", "POST"]).optional(),
  path: z
    .string()
    .max(500)
    .regex(/^\/v1(\/([A-Za-z0-9._~-]+|\{[A-Za-z_][A-Za-z0-9_]*\}))+$/, "must be a path under /v1")
    .optional(),
  platform: PlatformSlug.optional(),
  resource: name.optional(),
  operation: z.enum(Object.keys(OPERATIONS) as [Operation, ...Operation[]]).optional(),
  options: JsonObject.optional(),
  scope: z
    .string()
    .regex(
      /^(search|datasets|account|raw:[a-z][a-z0-9-]{0,39})$/,
      "must be search, datasets, account or raw:<platform>",
    )
    .optional(),
  price_usd: z
    .string()
    .regex(/^[0-9]{1,9}(\.[0-9]{1,6})?$/, "must be USD with at most 6 decimal places, in quotes")
    .optional(),
  cap_per_second: z.number().int().min(1).max(1_000_000).optional(),
  free_eligible: z.boolean().optional(),
  maturity: name.optional(),
  availability: name.optional(),
  label: Label.optional(),
  summary: z.string().min(1).max(500).optional(),
  params: JsonObject.optional(),
  data: JsonObject.optional(),
  example: JsonObject.optional(),
});
export type CatalogueFileRow = Readonly<z.infer<typeof CatalogueFileRow>>;

/** A catalogue file: rows that extend or replace the shipped rows (decisions.md, "Catalogue"). */
export const CatalogueFile = z.strictObject({
  catalogue: z.literal(CATALOGUE_FILE_VERSION, {
    error: `must be ${CATALOGUE_FILE_VERSION}, the version of the format`,
  }),
  /** Ids of rows to remove. */
  remove: z.array(EndpointIdText).optional(),
  endpoints: z.array(CatalogueFileRow).default([]),
});
export type CatalogueFile = Readonly<z.infer<typeof CatalogueFile>>;
