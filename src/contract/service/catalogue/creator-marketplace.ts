import { z } from "zod";
import { CreatorItem, pageOf, rankEntry } from "../answer-shapes.js";
import { Freshness, text } from "../shared-params.js";
import { LanguageTag } from "../unified-record.js";
import { platformRows } from "./platform-rows.js";
import { PAGING } from "./shared-fields.js";
import { CREATOR } from "./thing.js";

const GROUP = "creator-marketplace";
const market = platformRows(GROUP, "creator-market");
const exchange = platformRows(GROUP, "creator-exchange");

const CREATORS = {
  operation: "list",
  options: { resource: "creator" },
  summary: "Creators on offer, by words and language, those with the most followers first.",
  params: () =>
    z.strictObject({
      q: text(1, 500).optional(),
      lang: LanguageTag.optional(),
      sort: z.enum(["top", "new", "old"]).optional(),
      ...PAGING,
    }),
  data: pageOf(CreatorItem),
  example: { count: 10 },
};

/** Two creator-marketplace platforms. All assumed. */
export const CREATOR_MARKETPLACE_ROWS = [
  market.creator(),
  market.row("creators", CREATORS),
  market.creatorGraph(),
  market.pricePath(CREATOR, "a booking", "rate-path"),
  exchange.creator(),
  exchange.row("creators", CREATORS),
  exchange.row("ranking", {
    operation: "ranking",
    options: { resource: "creator" },
    summary: "Creators by reach, the furthest first.",
    params: () =>
      z.strictObject({ lang: LanguageTag.optional(), freshness: Freshness.default("7d"), ...PAGING }),
    data: pageOf(rankEntry(CreatorItem)),
    example: { freshness: "90d", count: 10 },
  }),
] as const;
