import type { EndpointValues } from "../contract/service/catalogue.js";
import type { Handler } from "./handler.js";
import { pageResult } from "./page.js";

/**
 * Lists a video's comments (service.md sections 2.5 and 4.2.2). Assumed: the items are the top-level comments, each with
 * its `reply_count`, ordered by likes, then `cid`; `cursor` is the offset of the next page and `total` the number of
 * top-level comments.
 */
export const rawComments: Handler<EndpointValues<"raw.short-video.comments">> = async (params, context) => {
  const { corpus, endpoint } = context;
  const platform = endpoint.platform!;
  const [{ items, total }, video] = await Promise.all([
    corpus.rawPage({
      platform,
      resource: "comment",
      parent: params.item_id,
      replyTo: null,
      orderBy: "score",
      descending: true,
      offset: params.cursor,
      limit: params.count,
    }),
    corpus.raw(platform, "video", params.item_id),
  ]);
  return pageResult(
    { items: items.map(({ data }) => data), origins: items, parent: video, offset: params.cursor, total },
    context,
  );
};
