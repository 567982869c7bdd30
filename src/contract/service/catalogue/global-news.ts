import { z } from "zod";
import { pageOf, RawRecord, Trend } from "../answer-shapes.js";
import { rawEndpoint } from "./raw-endpoint.js";
import { PlatformId, recordsParams, trendParams } from "./shared-fields.js";

const GROUP = "global-news";

/** Global news. All assumed. */
export const GLOBAL_NEWS_ROWS = [
  rawEndpoint(GROUP, "global-news", "article", {
    operation: "detail",
    options: { resource: "article", id: "article_id" },
    summary: "One article.",
    params: z.strictObject({ article_id: PlatformId }),
    data: RawRecord.nullable(),
    example: { article_id: "a1" },
  }),
  rawEndpoint(GROUP, "global-news", "articles", {
    operation: "records",
    summary: "Articles, by words, language and window of capture.",
    params: recordsParams(["captured", "sentiment"]),
    data: pageOf(RawRecord),
    example: { count: 10 },
  }),
  rawEndpoint(GROUP, "global-news", "trend", {
    operation: "trend",
    options: { resource: "article" },
    summary: "How many articles there were over time, by words.",
    params: trendParams({}),
    data: Trend.nullable(),
    example: { unit: "day" },
  }),
] as const;
