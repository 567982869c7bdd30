import type { EndpointValues } from "../contract/service/catalogue.js";
import type { Handler } from "./handler.js";

/** Returns one video of a short-video platform (service.md section 4.2.1); null if the corpus does not have it. */
export const rawVideo: Handler<EndpointValues<"raw.short-video.video">> = async (
  params,
  { corpus, endpoint },
) => {
  const item = await corpus.raw(endpoint.platform!, "video", params.item_id);
  return { data: item?.data ?? null, empty: item === undefined };
};
