import { marketplace, platformRows } from "./platform-rows.js";
import { PRODUCT } from "./thing.js";

/** Global marketplace. All assumed. */
export const GLOBAL_MARKETPLACE_ROWS = [
  ...marketplace({
    platform: "global-marketplace",
    sorts: ["captured", "price", "drop_7d", "rating", "reviews", "bsr"],
  }),
  platformRows("global-marketplace", "global-marketplace").ranking(PRODUCT, [
    "bsr",
    "reviews",
    "rating",
    "monthly_sales",
  ]),
] as const;
