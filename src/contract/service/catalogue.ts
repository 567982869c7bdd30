import type { z } from "zod";
import { ACCOUNT_ROWS } from "./catalogue/account.js";
import { BRAND_MARKETING_ROWS } from "./catalogue/brand-marketing.js";
import { CREATOR_MARKETPLACE_ROWS } from "./catalogue/creator-marketplace.js";
import { DATASET_ROWS } from "./catalogue/datasets.js";
import { FORUM_ROWS } from "./catalogue/forum.js";
import { GLOBAL_MARKETPLACE_ROWS } from "./catalogue/global-marketplace.js";
import { GLOBAL_NEWS_ROWS } from "./catalogue/global-news.js";
import { INTERNATIONAL_SHORT_VIDEO_ROWS } from "./catalogue/international-short-video.js";
import { LIFESTYLE_NOTES_ROWS } from "./catalogue/lifestyle-notes.js";
import { MICROBLOG_ROWS } from "./catalogue/microblog.js";
import { SEA_MARKETPLACE_ROWS } from "./catalogue/sea-marketplace.js";
import { SEARCH_ROWS } from "./catalogue/search.js";
import { SHORT_VIDEO_ROWS } from "./catalogue/short-video.js";
import { TRAVEL_MARKETPLACE_ROWS } from "./catalogue/travel-marketplace.js";
import { VIDEO_COMMUNITY_ROWS } from "./catalogue/video-community.js";
import type { EndpointSpec } from "./endpoint.js";

const ROWS = [
  ...SEARCH_ROWS,
  ...SHORT_VIDEO_ROWS,
  ...VIDEO_COMMUNITY_ROWS,
  ...CREATOR_MARKETPLACE_ROWS,
  ...FORUM_ROWS,
  ...LIFESTYLE_NOTES_ROWS,
  ...INTERNATIONAL_SHORT_VIDEO_ROWS,
  ...MICROBLOG_ROWS,
  ...SEA_MARKETPLACE_ROWS,
  ...GLOBAL_MARKETPLACE_ROWS,
  ...TRAVEL_MARKETPLACE_ROWS,
  ...GLOBAL_NEWS_ROWS,
  ...BRAND_MARKETING_ROWS,
  ...DATASET_ROWS,
  ...ACCOUNT_ROWS,
] as const;

type Row = (typeof ROWS)[number];

/**
 * Every shipped endpoint, one row each, in the groups of service.md section 1 (sections 4 and 4.4; decisions.md, "Catalogue").
 * The conformance rule `endpoint-count` checks their number. The list and its rows are frozen: all lakes of a process share them.
 */
export const CATALOGUE: readonly EndpointSpec[] = frozen(ROWS);

/** Id of an endpoint of {@link CATALOGUE}. */
export type EndpointId = (typeof ROWS)[number]["id"];

/** Parameters, as a caller gives them, and `data` of every shipped endpoint, by id. */
export type EndpointMap = {
  readonly [R in Row as R["id"]]: {
    readonly params: z.input<R["params"]>;
    readonly data: z.output<R["data"]>;
  };
};

/** Parameters of an endpoint, as a caller gives them. */
export type EndpointParams<Id extends EndpointId> = EndpointMap[Id]["params"];

/** Parameters of an endpoint as its handler receives them: checked, with defaults. */
export type EndpointValues<Id extends EndpointId> = z.output<Extract<Row, { readonly id: Id }>["params"]>;

/** `data` of an endpoint's answer. */
export type EndpointData<Id extends EndpointId> = EndpointMap[Id]["data"];

/** Platforms that have raw endpoints. */
export type RawPlatform = Extract<(typeof ROWS)[number], { readonly resource: string }>["platform"];

/** Raw resources of a platform. */
export type RawResource<P extends RawPlatform> = EndpointId extends infer Id
  ? Id extends `raw.${P}.${infer Resource}`
    ? Resource
    : never
  : never;

/** Id of the raw endpoint of a platform and resource. */
export type RawEndpointId<P extends RawPlatform, R extends RawResource<P>> = Extract<
  EndpointId,
  `raw.${P}.${R}`
>;

/** Freezes a list of rows with their JSON. Schemas stay as they are: zod keeps in them what it finds out. */
function frozen(rows: readonly EndpointSpec[]): readonly EndpointSpec[] {
  for (const row of rows) {
    freezeJson(row.options);
    freezeJson(row.example);
    Object.freeze(row);
  }
  return Object.freeze(rows);
}

function freezeJson(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  Object.values(value).forEach(freezeJson);
  Object.freeze(value);
}
