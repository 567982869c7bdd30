import { platformRows } from "./platform-rows.js";
import { VIDEO } from "./thing.js";

const rows = platformRows("international-short-video", "intl-short-video");

/** International short-video platform. All assumed. */
export const INTERNATIONAL_SHORT_VIDEO_ROWS = [
  rows.detail(VIDEO),
  rows.comments(VIDEO),
  rows.creator(VIDEO),
  rows.ranking(VIDEO, ["plays", "likes", "comments", "shares"]),
] as const;
