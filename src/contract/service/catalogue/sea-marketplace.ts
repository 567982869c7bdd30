import { marketplace } from "./platform-rows.js";

/** Southeast-Asia marketplace. All assumed. */
export const SEA_MARKETPLACE_ROWS = marketplace({
  platform: "sea-marketplace",
  sorts: ["captured", "price", "drop_7d", "rating", "sold", "reviews"],
});
