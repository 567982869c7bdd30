import type { UnifiedRecord } from "../../contract/service/unified-record.js";
import type { Output } from "../context.js";
import { oneLine, truncate } from "./display-width.js";
import { formatShort } from "./format-amount.js";
import { style } from "./terminal-style.js";

/** Largest number of figures shown per record. */
const MAX_FIGURES = 3;

/**
 * Formats search results in the order of the answer, two lines each: rank and headline, then platform, language, figures, day of
 * capture and id.
 */
export function formatRecords(records: readonly UnifiedRecord[], out: Output): string {
  const margin = String(records.length).length + 2;
  return records
    .map((record, at) => {
      const rank = `${String(at + 1).padStart(margin - 2)}  `;
      const captured = record.prov === undefined ? [] : [`captured ${record.prov.ts.slice(0, 10)}`];
      const facts = [
        oneLine(record.platform),
        oneLine(record.lang),
        ...figures(record),
        ...captured,
        oneLine(record.id),
      ].join(" · ");
      const headlined = truncate(oneLine(headline(record)), out.columns - margin);
      return `${rank}${style(out, "bold", headlined)}\n${" ".repeat(margin)}${style(out, "dim", facts)}\n`;
    })
    .join("");
}

function headline(record: UnifiedRecord): string {
  return record.title ?? record.text ?? record.review_sample?.[0] ?? record.comment_thread?.[0] ?? "";
}

/** The most telling numbers of a record: price, sentiment, metrics. */
function figures({ price, metrics = {}, sentiment }: UnifiedRecord): string[] {
  const parts: string[] = [];
  if (price !== undefined) {
    const drop = price.drop_7d;
    const moved =
      drop === undefined || drop === 0 ? "" : ` (${drop > 0 ? "+" : ""}${drop.toFixed(1)}% in 7 days)`;
    parts.push(`${price.current.toLocaleString("en-US")} ${price.currency}${moved}`);
  }
  if (sentiment !== undefined) parts.push(`${sentiment.label} ${sentiment.score}`);
  for (const key of ["rating", "sold", "reviews", "plays", "views", "likes", "comments"] as const) {
    const value = metrics[key];
    if (value !== undefined && value > 0 && parts.length < MAX_FIGURES) {
      parts.push(key === "rating" ? `rating ${value}` : `${formatShort(value)} ${key}`);
    }
  }
  return parts;
}
