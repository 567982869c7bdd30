import { z } from "zod";
import { defineEndpoint } from "../endpoint.js";
import { LIMITS } from "../limits.js";
import { formatUsd } from "../money.js";
import { CommentCount, Cursor } from "../params.js";
import { CommentsPage, ITEM_ID_PATTERN, RawVideo } from "../raw.js";

const ItemId = z.string().regex(ITEM_ID_PATTERN, `must match ${ITEM_ID_PATTERN.source}`);

/** Short-video platform (service.md sections 4.2.1 and 4.2.2). */
export const SHORT_VIDEO_ROWS = [
  defineEndpoint({
    id: "raw.short-video.video",
    group: "short-video",
    method: "GET",
    path: "/v1/raw/short-video/video",
    platform: "short-video",
    resource: "video",
    operation: "raw-video",
    scope: "raw:short-video",
    price: formatUsd(LIMITS.rawVideoPrice.value),
    capPerSecond: LIMITS.rawVideoCapPerSecond.value,
    freeEligible: true,
    label: "specified",
    summary: "Metadata and engagement metrics of one video.",
    params: z.strictObject({ item_id: ItemId }),
    data: RawVideo.nullable(),
    example: { item_id: "7301234567890123456" },
  }),
  defineEndpoint({
    id: "raw.short-video.comments",
    group: "short-video",
    method: "GET",
    path: "/v1/raw/short-video/comments",
    platform: "short-video",
    resource: "comments",
    operation: "raw-comments",
    scope: "raw:short-video",
    price: formatUsd(LIMITS.rawCommentsPrice.value),
    label: "specified",
    summary: "Comments of a video, page by page; the number of replies to each.",
    params: z.strictObject({ item_id: ItemId, cursor: Cursor, count: CommentCount }),
    data: CommentsPage,
    example: { item_id: "7301234567890123456", count: 20 },
  }),
] as const;
