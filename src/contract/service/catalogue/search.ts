import { z } from "zod";
import { formatUsd } from "../../money.js";
import { defineEndpoint } from "../endpoint.js";
import { LIMITS } from "../limits.js";
import { Domain, PlatformSlug } from "../platforms.js";
import { Freshness, integer, text, uniqueItems } from "../shared-params.js";
import { UnifiedRecord } from "../unified-record.js";

/** Cross-domain search (service.md section 4.1). */
export const SEARCH_ROWS = [
  defineEndpoint({
    id: "search",
    group: "search",
    method: "POST",
    path: "/v1/search",
    operation: "search",
    scope: "search",
    price: formatUsd(LIMITS.searchPrice.value),
    capPerSecond: LIMITS.searchCapPerSecond.value,
    freeEligible: true,
    availability: "coming_soon",
    label: "specified",
    summary: "Cross-domain search over social, e-commerce and web records, semantic and keyword.",
    params: () =>
      z.strictObject({
        query: text(LIMITS.searchQueryMinLength.value, LIMITS.searchQueryMaxLength.value).describe(
          "Words or a sentence, in any language.",
        ),
        domains: uniqueItems(Domain).optional().describe("Domains to search; all where absent."),
        platforms: uniqueItems(PlatformSlug).optional().describe("Platforms to search; all where absent."),
        freshness: Freshness.default(LIMITS.freshnessDefault.value),
        format: z
          .enum(["records", "vectors+provenance"])
          .default("vectors+provenance")
          .describe("records: without vec and prov."),
        limit: integer(
          LIMITS.searchLimitMin.value,
          LIMITS.searchLimitMax.value,
          LIMITS.searchLimitDefault.value,
        ),
      }),
    data: z.array(UnifiedRecord),
    example: { query: "wireless mouse", domains: ["ecommerce"], freshness: "90d", limit: 5 },
  }),
] as const;
