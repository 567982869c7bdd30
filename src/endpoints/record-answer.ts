import type { JsonObject } from "../contract/json.js";
import type { RawRecord } from "../contract/service/answer-shapes.js";
import type { EndpointSpec } from "../contract/service/endpoint.js";
import { DOMAIN_PREFIX, type Platform } from "../contract/service/platforms.js";
import type { StoredRecord } from "../contract/service/unified-record.js";
import { pathSource } from "./page-provenance.js";

/**
 * Converts a unified record to the answer of a raw endpoint: it adds the source to `prov`, as in all raw answers
 * (service.md section 2.3), and the platform id as `extra.source_id`, as in the raw video record (section 2.4).
 */
export function recordAnswer(record: StoredRecord, endpoint: EndpointSpec): RawRecord {
  const extra = { source_id: platformIdOf(record.id), ...record.extra } as JsonObject;
  return { ...record, extra, prov: { ...record.prov, source: record.prov.source ?? pathSource(endpoint) } };
}

/** Returns the record id for a platform id (service.md section 2.3; decisions.md, "Ids, hashes"). */
export function recordIdOf(platform: Platform, platformId: string): string {
  return `${DOMAIN_PREFIX[platform.domain]}_${platform.code}_${platformId}`;
}

function platformIdOf(recordId: string): string {
  return recordId.split("_").slice(2).join("_");
}
