import { z } from "zod";
import { CreatorGraph, CreatorItem, CreatorProfile, PricePath, pageOf, rankEntry } from "../answer-shapes.js";
import { Freshness, text } from "../shared-params.js";
import { LanguageTag } from "../unified-record.js";
import { rawEndpoint } from "./raw-endpoint.js";
import { graphParams, PAGING, PlatformId, pricePathParams } from "./shared-fields.js";

const GROUP = "creator-marketplace";

const creatorsParams = z.strictObject({
  q: text(1, 500).optional(),
  lang: LanguageTag.optional(),
  sort: z.enum(["top", "new", "old"]).optional(),
  ...PAGING,
});

/** Two creator-marketplace platforms. All assumed. */
export const CREATOR_MARKETPLACE_ROWS = [
  rawEndpoint(GROUP, "creator-market", "creator", {
    operation: "creator",
    options: { id: "creator_id" },
    summary: "Profile of a creator on offer.",
    params: z.strictObject({ creator_id: PlatformId }),
    data: CreatorProfile.nullable(),
    example: { creator_id: "creator-1" },
  }),
  rawEndpoint(GROUP, "creator-market", "creators", {
    operation: "list",
    options: { resource: "creator" },
    summary: "Creators on offer, by words and language, those with the most followers first.",
    params: creatorsParams,
    data: pageOf(CreatorItem),
    example: { count: 10 },
  }),
  rawEndpoint(GROUP, "creator-market", "creator-graph", {
    operation: "creator-graph",
    options: { id: "creator_id" },
    summary: "Whom a creator is connected to, and how strongly.",
    params: graphParams({ creator_id: PlatformId }),
    data: CreatorGraph.nullable(),
    example: { creator_id: "creator-1" },
  }),
  rawEndpoint(GROUP, "creator-market", "rate-path", {
    operation: "price-path",
    options: { id: "creator_id" },
    summary: "Price of a booking over time.",
    params: pricePathParams({ creator_id: PlatformId }),
    data: PricePath.nullable(),
    example: { creator_id: "creator-1" },
  }),
  rawEndpoint(GROUP, "creator-exchange", "creator", {
    operation: "creator",
    options: { id: "creator_id" },
    summary: "Profile of a creator on offer.",
    params: z.strictObject({ creator_id: PlatformId }),
    data: CreatorProfile.nullable(),
    example: { creator_id: "creator-1" },
  }),
  rawEndpoint(GROUP, "creator-exchange", "creators", {
    operation: "list",
    options: { resource: "creator" },
    summary: "Creators on offer, by words and language, those with the most followers first.",
    params: creatorsParams,
    data: pageOf(CreatorItem),
    example: { count: 10 },
  }),
  rawEndpoint(GROUP, "creator-exchange", "ranking", {
    operation: "ranking",
    options: { resource: "creator" },
    summary: "Creators by reach, the furthest first.",
    params: z.strictObject({ lang: LanguageTag.optional(), freshness: Freshness.default("7d"), ...PAGING }),
    data: pageOf(rankEntry(CreatorItem)),
    example: { freshness: "90d", count: 10 },
  }),
] as const;
