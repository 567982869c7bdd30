import { platformRows } from "./platform-rows.js";
import { LISTING } from "./thing.js";

const rows = platformRows("travel-marketplace", "travel-marketplace");

/** Travel marketplace. All assumed. */
export const TRAVEL_MARKETPLACE_ROWS = [
  rows.detail(LISTING),
  rows.reviews(LISTING),
  rows.pricePath(LISTING, "a night or ticket"),
] as const;
