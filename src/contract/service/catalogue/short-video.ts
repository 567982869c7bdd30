import { z } from "zod";
import { formatUsd } from "../../money.js";
import { LIMITS } from "../limits.js";
import { CommentsPage, RawVideo } from "../raw.js";
import { platformRows } from "./platform-rows.js";
import { ItemId, PAGING } from "./shared-fields.js";
import { exampleOf, SHORT_VIDEO } from "./thing.js";

const GROUP = "short-video";
const first = platformRows(GROUP, "short-video");
const lite = platformRows(GROUP, "short-video-lite");
const LITE_VIDEO = { ...SHORT_VIDEO, example: "7401234567890123456" } as const;

/** Two short-video platforms. The first two rows are service.md sections 4.2.1 and 4.2.2; the others are assumed. */
export const SHORT_VIDEO_ROWS = [
  first.row("video", {
    operation: "raw-video",
    price: formatUsd(LIMITS.rawVideoPrice.value),
    capPerSecond: LIMITS.rawVideoCapPerSecond.value,
    freeEligible: true,
    label: "specified",
    summary: "Metadata and engagement metrics of one video.",
    params: () => z.strictObject({ item_id: ItemId }),
    data: RawVideo.nullable(),
    example: exampleOf(SHORT_VIDEO),
  }),
  first.row("comments", {
    operation: "raw-comments",
    price: formatUsd(LIMITS.rawCommentsPrice.value),
    label: "specified",
    summary: "Comments of a video, page by page; the number of replies to each.",
    params: () => z.strictObject({ item_id: ItemId, ...PAGING }),
    data: CommentsPage,
    example: { ...exampleOf(SHORT_VIDEO), count: 20 },
  }),
  first.replies(SHORT_VIDEO),
  first.creator(SHORT_VIDEO),
  first.creatorWorks(SHORT_VIDEO),
  first.creatorGraph(SHORT_VIDEO),
  first.ranking(SHORT_VIDEO, ["plays", "likes", "comments", "shares", "saves"]),
  lite.detail(LITE_VIDEO),
  lite.comments(LITE_VIDEO),
  lite.creatorWorks(LITE_VIDEO),
] as const;
