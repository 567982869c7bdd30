import type { JsonObject } from "../../contract/json.js";
import { omitUndefined } from "../../contract/omit-undefined.js";
import { RawVideo } from "../../contract/service/raw.js";
import type { StoredRecord } from "../../contract/service/unified-record.js";
import { withAnsweredHash } from "./answered-hash.js";
import { platformIdOf } from "./answered-raw-record.js";

/** Numbers that service.md section 2.4 has in every raw video, and a source may not have. */
const METRICS = Object.keys(RawVideo.shape.metrics.shape) as (keyof RawVideo["metrics"])[];
const EXTRA = RawVideo.shape.extra.shape;
type Extra = RawVideo["extra"];

/** A raw video in the shape of the service, and the numbers in it that are not known, as `metrics.saves`. */
export interface AnsweredVideo {
  readonly video: RawVideo;
  readonly unknown: readonly string[];
}

/** A stored raw video as it is answered: a number that its source does not have is 0. */
export function answeredVideo(data: JsonObject): AnsweredVideo {
  const stored = data as unknown as RawVideo;
  const lacking = METRICS.filter((name) => stored.metrics?.[name] === undefined);
  if (lacking.length === 0) return { video: stored, unknown: [] };
  const video = { ...stored, metrics: withNumbers(stored.metrics ?? {}) };
  return { video: withAnsweredHash(stored, video), unknown: namesOf(lacking) };
}

/**
 * A record in the shape of a raw video: what the shape has no place for is left out, and an author who is not known has an empty hash.
 * @param source of the answer, where the record names none
 */
export function videoOfRecord(record: StoredRecord, source: string): AnsweredVideo {
  const { id, src, platform, lang, text = "", author = { uid_hash: "" }, metrics = {}, prov } = record;
  const extra: Partial<Record<keyof Extra, unknown>> = { source_id: platformIdOf(id), ...record.extra };
  const fitting = Object.entries(EXTRA).map(([name, schema]) => {
    const value = extra[name as keyof Extra];
    return [name, schema.safeParse(value).success ? value : undefined];
  });
  const video: RawVideo = {
    ...{ id, src, platform, lang, text, author, metrics: withNumbers(metrics) },
    extra: { source_id: platformIdOf(id), ...(omitUndefined(Object.fromEntries(fitting)) as Partial<Extra>) },
    prov: { ...prov, source: prov.source ?? source },
  };
  return {
    video: withAnsweredHash(record, video),
    unknown: namesOf(METRICS.filter((name) => metrics[name] === undefined)),
  };
}

function withNumbers(metrics: RawVideo["metrics"]): RawVideo["metrics"] {
  return Object.fromEntries(METRICS.map((name) => [name, metrics[name] ?? 0]));
}

function namesOf(lacking: readonly string[]): string[] {
  return lacking.map((name) => `metrics.${name}`);
}
