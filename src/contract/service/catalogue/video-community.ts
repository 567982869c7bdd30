import { z } from "zod";
import { Danmaku, pageOf, Segment } from "../answer-shapes.js";
import { platformRows } from "./platform-rows.js";
import { PAGING } from "./shared-fields.js";
import { exampleOf, idOf, VIDEO } from "./thing.js";

const GROUP = "video-community";
const community = platformRows(GROUP, "video-community");
const long = platformRows(GROUP, "long-video");

/** Two video-community platforms. All assumed. */
export const VIDEO_COMMUNITY_ROWS = [
  community.detail(VIDEO),
  community.comments(VIDEO),
  community.replies(VIDEO),
  community.row("danmaku", {
    operation: "list",
    options: { resource: "danmaku", parent: VIDEO.param, sort: "offset" },
    summary: "Timed comments over a video, in the order of their second.",
    params: () => z.strictObject({ ...idOf(VIDEO), ...PAGING }),
    data: pageOf(Danmaku),
    example: { ...exampleOf(VIDEO), count: 50 },
  }),
  community.creator(VIDEO),
  community.ranking(VIDEO, ["views", "likes", "comments", "danmaku", "coins", "saves"]),
  long.detail(VIDEO),
  long.comments(VIDEO),
  long.row("transcript", {
    operation: "list",
    options: { resource: "segment", parent: VIDEO.param, sort: "offset" },
    summary: "Timed segments of what is said in a video.",
    params: () => z.strictObject({ ...idOf(VIDEO), ...PAGING }),
    data: pageOf(Segment),
    example: { ...exampleOf(VIDEO), count: 50 },
  }),
] as const;
