import type { JsonObject } from "../../contract/json.js";
import type { StoredRecord } from "../../contract/service/unified-record.js";
import { answeredRecord } from "./answered-raw-record.js";
import { answeredVideo, videoOfRecord } from "./answered-video.js";

/** The platform whose raw video has a shape of its own (service.md section 2.4). */
const VIDEO_PLATFORM = "short-video";

/** The hashes that raw answers show for a record; a search shows that of the record itself. */
export function hashesOfRecord(record: StoredRecord): string[] {
  const hashes = [answeredRecord(record).prov.hash];
  if (record.platform === VIDEO_PLATFORM) hashes.push(videoOfRecord(record, "").video.prov.hash);
  return hashes;
}

/** Key of the raw items that raw answers show with another hash than they are stored with. */
export const REHASHED_RAW = { platform: VIDEO_PLATFORM, resource: "video" } as const;

/** The hash that a raw answer shows for one of {@link REHASHED_RAW}; undefined for one without a hash. */
export function hashOfVideo(data: JsonObject): string | undefined {
  const { prov } = answeredVideo(data).video as { readonly prov?: { readonly hash?: string } };
  return prov?.hash;
}
