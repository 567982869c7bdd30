import type { RawRecord } from "../contract/service/answer-shapes.js";
import type { EndpointSpec } from "../contract/service/endpoint.js";
import { DOMAIN_PREFIX, type Platform } from "../contract/service/platforms.js";
import type { StoredRecord } from "../contract/service/unified-record.js";
import { storedForms } from "../slice/addressable-id.js";
import { answeredRecord } from "../store/answered/answered-raw-record.js";
import { firstFound } from "./find-raw.js";
import type { HandlerContext } from "./handler.js";
import { pathSource } from "./page-provenance.js";

/**
 * Converts a unified record to the answer of a raw endpoint: it adds the source to `prov`, as in all raw answers
 * (service.md section 2.3), and the platform id as `extra.source_id`, as in the raw video record (section 2.4).
 */
export function recordAnswer(record: StoredRecord, endpoint: EndpointSpec): RawRecord {
  const { prov, ...shown } = answeredRecord(record);
  return { ...shown, prov: { ...prov, source: prov.source ?? pathSource(endpoint) } } as RawRecord;
}

/** Reads the record of the endpoint's platform with a platform id, as it is given or in its addressable form; undefined if the corpus does not have it. */
export async function recordOf(
  platformId: string,
  { corpus, endpoint }: Pick<HandlerContext, "corpus" | "endpoint">,
): Promise<StoredRecord | undefined> {
  const platform = corpus.platforms().find(({ slug }) => slug === endpoint.platform);
  if (platform === undefined) return undefined;
  const row = await firstFound(
    storedForms(platformId),
    (form) => corpus.recordRow(recordIdOf(platform, form)),
    (found) => found !== undefined,
  );
  return row === undefined ? undefined : (await corpus.records([row]))[0];
}

/** Returns the record id for a platform id (service.md section 2.3; decisions.md, "Ids, hashes"). */
export function recordIdOf(platform: Platform, platformId: string): string {
  return `${DOMAIN_PREFIX[platform.domain]}_${platform.code}_${platformId}`;
}
