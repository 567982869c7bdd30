import type { EndpointValues } from "../contract/service/catalogue.js";
import { answeredVideo, videoOfRecord } from "../store/answered/answered-video.js";
import type { Handler } from "./handler.js";
import { pathSource } from "./page-provenance.js";
import { recordOf } from "./record-answer.js";

/**
 * Returns one video of a short-video platform (service.md section 4.2.1): the raw item, or else the record in its shape; null if the corpus
 * has neither. The header `X-Mirrorlake-Unknown` names the numbers that are 0 because they are not known.
 */
export const rawVideo: Handler<EndpointValues<"raw.short-video.video">> = async (params, context) => {
  const { corpus, endpoint } = context;
  const item = await corpus.raw(endpoint.platform!, "video", params.item_id);
  const record = item === undefined ? await recordOf(params.item_id, context) : undefined;
  if (item === undefined && record === undefined) return { data: null, empty: true };
  const { video, unknown } =
    item === undefined ? videoOfRecord(record!, pathSource(endpoint)) : answeredVideo(item.data);
  const headers: Record<string, string> =
    unknown.length === 0 ? {} : { "X-Mirrorlake-Unknown": unknown.join(",") };
  return { data: video, empty: false, headers };
};
