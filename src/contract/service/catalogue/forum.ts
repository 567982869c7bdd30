import { discussion } from "./platform-rows.js";

/** Forum platform. All assumed. */
export const FORUM_ROWS = discussion({
  platform: "forum",
  sorts: ["captured", "likes", "comments", "views"],
});
