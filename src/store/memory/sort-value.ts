import type { StoredRecord } from "../../contract/service/unified-record.js";
import type { RecordOrder } from "../corpus.js";

/** The number that a record is sorted by; NaN where it has none, and for `id`, which is no number. */
export function sortValue(record: StoredRecord, order: RecordOrder): number {
  switch (order) {
    case "captured":
      return Date.parse(record.prov.ts);
    case "id":
      return Number.NaN;
    case "price":
      return record.price?.current ?? Number.NaN;
    case "drop_7d":
      return record.price?.drop_7d ?? Number.NaN;
    case "sentiment":
      return record.sentiment?.score ?? Number.NaN;
    case "followers":
      return record.author?.followers ?? Number.NaN;
    default:
      return record.metrics?.[order] ?? Number.NaN;
  }
}
