import type { z } from "zod";
import { explainIssues } from "../contract/check-options.js";
import { IngestError, MirrorlakeError } from "../contract/errors.js";
import { nearestName } from "../contract/nearest-name.js";
import { DOMAIN_PREFIX, type Platform } from "../contract/service/platforms.js";
import { Provenance, RecordId, UnifiedRecord } from "../contract/service/unified-record.js";
import { shown } from "../contract/shown-value.js";
import { type HashPolicy, type NewRecord, RawItem, type SliceItem } from "../contract/slice/slice-item.js";
import { allFinite } from "../slice/all-finite.js";
import { jsonFault } from "../slice/json-fault.js";
import { payloadId, recordHash } from "../slice/record-hash.js";

/**
 * A unified record as a program gives it: `platform`, `lang` and some content suffice. Defaults: `id` is the hash of the
 * content, `src` the platform's domain, `prov.ts` the capture time of the lake; `prov.hash` is computed.
 */
export const RecordRow = UnifiedRecord.extend({
  id: RecordId.optional(),
  src: UnifiedRecord.shape.src.optional(),
  prov: Provenance.partial().optional(),
});
export type RecordRow = Readonly<z.infer<typeof RecordRow>>;

/** A raw item as a program gives it. Defaults: `captured_at` is the capture time of the lake, `score` is 0. */
export const RawRow = RawItem.extend({
  captured_at: RawItem.shape.captured_at.optional(),
  score: RawItem.shape.score.optional(),
});
export type RawRow = Readonly<z.infer<typeof RawRow>>;

/** A row of a new lake: a unified record, or a raw item (a row with `resource`). */
export type LakeRow = RecordRow | RawRow;

/** Values that complete rows. */
export interface RowContext {
  readonly platforms: ReadonlyMap<string, Platform>;
  /** Capture time of rows without one: ISO 8601 with offset. */
  readonly capturedAt: string;
  readonly vectorModel: string | undefined;
  readonly hashes: HashPolicy;
}

/** Raw items and views of SQL name the time so. */
const CAPTURED_REMEDY = "give the capture time of a record as prov: { ts }";

/** Rows from which on it pays to compile the schema. */
const COMPILED_FROM = 200;

interface Problem {
  readonly problem: string;
  readonly remedy: string;
}

/**
 * Converts a row to a slice item.
 * @param index 0-based number of the row
 * @throws IngestError `row_invalid`, which names every invalid field of the row; `value` is the row's number
 */
export function itemOfRow(row: unknown, index: number, context: RowContext): SliceItem {
  const isRaw = typeof row === "object" && row !== null && Object.hasOwn(row, "resource");
  const schema = isRaw ? RawRow : RecordRow;
  const parsed = schema.safeParse(row, { jitless: index < COMPILED_FROM });
  const issues = parsed.success ? [] : explainIssues(parsed.error, row, { schema, noun: "field" });
  const given = (typeof row === "object" && row !== null ? row : {}) as Partial<RecordRow> & Partial<RawRow>;
  const platform = context.platforms.get(given.platform ?? "");
  const problems: Problem[] = issues.flatMap((issue) => {
    if (issue.name === "")
      return [{ problem: `${shown(row)} is not an object`, remedy: "give one object per row" }];
    if (issue.name === "captured_at" && !isRaw)
      return [{ problem: `${issue.problem}, did you mean prov.ts?`, remedy: CAPTURED_REMEDY }];
    if (issue.name !== "id" || isRaw || platform === undefined || typeof given.id !== "string")
      return [issue];
    // Of an id that begins otherwise platformProblems says all.
    return given.id.startsWith(prefixOf(platform)) ? [{ ...issue, remedy: idRemedy(platform) }] : [];
  });
  const isSlug = typeof given.platform === "string" && issues.every(({ name }) => name !== "platform");
  if (platform === undefined && isSlug) problems.push(unknownPlatform(given.platform!, context));
  if (platform !== undefined) problems.push(...platformProblems(given, platform));
  if (parsed.success) problems.push(...faultsOf(given));
  if (given.vec !== undefined && parsed.success) problems.push(...vectorProblems(given.vec, context));
  if (problems.length > 0 || platform === undefined || !parsed.success) throw invalidRow(index, problems);
  if (isRaw) {
    const { captured_at = context.capturedAt, score = 0, ...rest } = parsed.data as RawRow;
    return { kind: "raw", raw: { ...rest, captured_at, score } };
  }
  return recordItem(parsed.data as RecordRow, index, platform, context);
}

function recordItem(row: RecordRow, index: number, platform: Platform, context: RowContext): SliceItem {
  const { vec, prov = {}, id, ...rest } = row;
  try {
    const content = { ...rest, src: platform.domain };
    const bare = { ...content, id: id ?? `${prefixOf(platform)}${payloadId(content)}` };
    const hash = prov.hash !== undefined && context.hashes !== "check" ? prov.hash : recordHash(bare);
    if (prov.hash !== undefined && prov.hash !== hash) {
      const problem = `prov.hash is ${shown(prov.hash)}, it must be ${hash}, the hash of the record's content`;
      const remedy = `leave prov.hash out, or pass hashes: "keep" if it is the source's own`;
      throw invalidRow(index, [{ problem, remedy }]);
    }
    const record: NewRecord = { ...bare, prov: { ...prov, ts: prov.ts ?? context.capturedAt, hash } };
    if (vec === undefined) return { kind: "record", record };
    return { kind: "record", record, vector: Float32Array.from(vec) };
  } catch (error) {
    if (!(error instanceof MirrorlakeError) || error.code !== "not_canonical_json") throw error;
    throw invalidRow(index, [{ problem: error.message, remedy: error.remedy }]);
  }
}

function prefixOf({ domain, code }: Platform): string {
  return `${DOMAIN_PREFIX[domain]}_${code}_`;
}

function idRemedy(platform: Platform): string {
  return `give ${prefixOf(platform)}<the platform's own id>, or leave id out`;
}

/** Faults of what a row may name as it likes. Its schema leaves a member `__proto__` out without a word. */
function faultsOf({ extra, data }: Partial<RecordRow & RawRow>): Problem[] {
  return Object.entries({ extra, data }).flatMap(([name, value]) => {
    const fault = jsonFault(value, 1);
    if (fault === undefined) return [];
    const field = fault.field === "" ? name : `${name}.${fault.field}`;
    return [{ problem: `${field} ${fault.rule}`, remedy: `correct ${field}, or leave it out` }];
  });
}

function unknownPlatform(slug: string, { platforms }: RowContext): Problem {
  const nearest = nearestName(slug, platforms.keys());
  return {
    problem: `platform is ${shown(slug)}, which is not known${nearest === undefined ? "" : `, did you mean "${nearest}"?`}`,
    remedy: `name one of ${[...platforms.keys()].join(", ")}, or declare it: platforms: [{ slug, domain, code, name }]`,
  };
}

function platformProblems({ src, id, resource }: Partial<RecordRow & RawRow>, platform: Platform): Problem[] {
  const problems: Problem[] = [];
  if (src !== undefined && src !== platform.domain) {
    problems.push({
      problem: `src is ${shown(src)}, platform ${platform.slug} is of the domain "${platform.domain}"`,
      remedy: "leave src out",
    });
  }
  if (resource === undefined && typeof id === "string" && !id.startsWith(prefixOf(platform))) {
    problems.push({
      problem: `id is ${shown(id)}, ids of platform ${platform.slug} begin with ${prefixOf(platform)}`,
      remedy: idRemedy(platform),
    });
  }
  return problems;
}

function vectorProblems(vec: NonNullable<RecordRow["vec"]>, { vectorModel }: RowContext): Problem[] {
  const problems: Problem[] = [];
  if (vectorModel === undefined) {
    problems.push({
      problem: "vec is given, but its model is not named",
      remedy: "name the model of all vectors: vectorModel",
    });
  }
  const numbers = vec instanceof Float32Array ? vec : Float32Array.from(vec);
  const remedy = "correct vec, or leave it out";
  if (!allFinite(numbers)) problems.push({ problem: "vec has a number that is not finite", remedy });
  if (numbers.every((number) => number === 0)) problems.push({ problem: "vec is all zero", remedy });
  return problems;
}

function invalidRow(index: number, problems: readonly Problem[]): IngestError {
  const reasons = [...new Set(problems.map(({ problem }) => problem))].join("; ");
  return new IngestError("row_invalid", `Row ${index}: ${reasons}`, {
    value: index,
    remedy: [...new Set(problems.map(({ remedy }) => remedy))].join("; "),
  });
}
