import type { Fetch } from "../client/lake-fetch.js";
import { objectOption } from "../contract/option-schemas.js";

/** What answers requests in the place of a service: a lake, with its `fetch`. */
export const FETCHING_LAKE = objectOption<{ readonly fetch: Fetch }>(
  ["fetch"],
  "a lake: of createTestLake or openLake",
);
