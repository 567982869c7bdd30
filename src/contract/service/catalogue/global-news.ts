import { platformRows } from "./platform-rows.js";
import { ARTICLE } from "./thing.js";

const rows = platformRows("global-news", "global-news");

/** Global news. All assumed. */
export const GLOBAL_NEWS_ROWS = [
  rows.detail(ARTICLE),
  rows.records(ARTICLE, ["captured", "sentiment"]),
  rows.trend(ARTICLE),
] as const;
