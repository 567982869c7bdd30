import type { SliceItem } from "../../src/contract/slice/slice-item.js";
import { instant } from "./items.js";

/** Prices of products, which are `makeRecord(n)` with n of 3k + 1, on some days before they are captured. */
export function pricePoints(
  products: readonly number[],
  days: readonly number[],
  factor = 1,
  later = 0,
): SliceItem[] {
  return products.flatMap((n) =>
    days.map((day): SliceItem => {
      const time = (n % 40) - day;
      const raw = {
        platform: "global-marketplace",
        resource: "price",
        id: `${n}-${day}`,
        parent: String(n),
        lang: "en",
        captured_at: instant(time + later),
        created_at: instant(time),
        score: 0,
        data: { current: factor * (10 + day * day), currency: "USD" },
      };
      return { kind: "raw", raw };
    }),
  );
}
