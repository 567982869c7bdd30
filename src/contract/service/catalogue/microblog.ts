import { discussion, platformRows } from "./platform-rows.js";
import { POST } from "./thing.js";

const rows = platformRows("microblog", "microblog");

/** Microblog platform. All assumed. */
export const MICROBLOG_ROWS = [
  ...discussion({ platform: "microblog", sorts: ["captured", "likes", "comments", "shares"] }),
  rows.creator(POST),
  rows.trend(POST),
] as const;
