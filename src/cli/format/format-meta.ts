import type { Answer } from "../../client/answer.js";
import { counted } from "../../contract/quantity.js";
import type { Meta } from "../../contract/service/envelope.js";
import { terminalLine } from "../../contract/terminal-text.js";
import type { CliContext, Output } from "../context.js";
import { formatDollars } from "./format-amount.js";
import { style } from "./terminal-style.js";

/** Formats the cost of a call and the remaining quota and balance as one line. */
export function formatMeta(meta: Meta): string {
  const cost = meta.empty
    ? "empty, not charged"
    : meta.used_free_quota
      ? "covered by the free quota"
      : meta.billed
        ? `charged ${formatDollars(meta.charged_usd)}`
        : "not charged";
  return `${cost} · ${counted(meta.free_quota_remaining, "free call")} left this month · balance ${formatDollars(meta.balance_usd)}`;
}

/** Prints the lines below a table: embedder, notes, item count and cost. */
export function printFooter(out: Output, counted: string, answer: Answer): void {
  const embedder = answer.headers["x-mirrorlake-embedder"];
  const note = answer.headers["x-mirrorlake-note"];
  if (embedder !== undefined) out.write(`${style(out, "dim", `vectors: ${terminalLine(embedder)}`)}\n`);
  if (note !== undefined) out.write(`${style(out, "yellow", terminalLine(decodeURIComponent(note)))}\n`);
  out.write(`${style(out, "dim", `${counted} · ${formatMeta(answer.meta)}`)}\n`);
}

/** Prints the answer's "did you mean" hint on standard error. */
export function printHint({ err }: CliContext, { hint }: Answer): void {
  if (hint !== undefined) err.write(`Hint: ${terminalLine(hint)}\n`);
}
