import { z } from "zod";
import { BrandMention, pageOf, RawRecord } from "../answer-shapes.js";
import { rawEndpoint } from "./raw-endpoint.js";
import { listParams, PlatformId, recordsParams } from "./shared-fields.js";

const GROUP = "brand-marketing";

/** Two brand-marketing platforms. All assumed. */
export const BRAND_MARKETING_ROWS = [
  rawEndpoint(GROUP, "brand-marketing", "campaign", {
    operation: "detail",
    options: { resource: "campaign", id: "campaign_id" },
    summary: "One campaign.",
    params: z.strictObject({ campaign_id: PlatformId }),
    data: RawRecord.nullable(),
    example: { campaign_id: "b1" },
  }),
  rawEndpoint(GROUP, "brand-marketing", "campaigns", {
    operation: "records",
    summary: "Campaigns, by words, language and window of capture.",
    params: recordsParams(["captured", "sentiment"]),
    data: pageOf(RawRecord),
    example: { count: 10 },
  }),
  rawEndpoint(GROUP, "brand-insights", "brand", {
    operation: "detail",
    options: { resource: "brand", id: "brand_id" },
    summary: "One brand.",
    params: z.strictObject({ brand_id: PlatformId }),
    data: RawRecord.nullable(),
    example: { brand_id: "b1" },
  }),
  rawEndpoint(GROUP, "brand-insights", "mentions", {
    operation: "list",
    options: { resource: "brand_mention", parent: "brand_id", sort: "new" },
    summary: "Mentions of a brand, newest first.",
    params: listParams({ brand_id: PlatformId }),
    data: pageOf(BrandMention),
    example: { brand_id: "b1" },
  }),
] as const;
