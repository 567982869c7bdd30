import { BrandMention, pageOf } from "../answer-shapes.js";
import { platformRows } from "./platform-rows.js";
import { listParams } from "./shared-fields.js";
import { BRAND, CAMPAIGN, exampleOf, idOf } from "./thing.js";

const GROUP = "brand-marketing";
const marketing = platformRows(GROUP, "brand-marketing");
const insights = platformRows(GROUP, "brand-insights");

/** Two brand-marketing platforms. All assumed. */
export const BRAND_MARKETING_ROWS = [
  marketing.detail(CAMPAIGN),
  marketing.records(CAMPAIGN, ["captured", "sentiment"]),
  insights.detail(BRAND),
  insights.row("mentions", {
    operation: "list",
    options: { resource: "brand_mention", parent: BRAND.param, sort: "new" },
    summary: "Mentions of a brand, newest first.",
    params: () => listParams(idOf(BRAND)),
    data: pageOf(BrandMention),
    example: exampleOf(BRAND),
  }),
] as const;
