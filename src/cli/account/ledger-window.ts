import { type Command, InvalidArgumentError } from "commander";
import { DayOrInstant, endMs, startMs } from "../../contract/service/shared-params.js";

/** Options that choose a part of the ledger by time. */
export interface LedgerWindowOptions {
  readonly from?: string;
  readonly to?: string;
}

/** Adds `--from` and `--to`. */
export function ledgerWindowOptions(command: Command): Command {
  return command
    .option("--from <when>", "from this day (UTC) or ISO 8601 instant on", dayOrInstant)
    .option("--to <when>", "up to this day (UTC) or ISO 8601 instant", dayOrInstant);
}

/** The window in milliseconds since the Unix epoch, both ends included. */
export function ledgerWindow({ from, to }: LedgerWindowOptions): { fromMs?: number; toMs?: number } {
  return {
    ...(from === undefined ? {} : { fromMs: startMs(from) }),
    ...(to === undefined ? {} : { toMs: endMs(to) }),
  };
}

function dayOrInstant(text: string): string {
  const parsed = DayOrInstant.safeParse(text);
  if (!parsed.success) throw new InvalidArgumentError("Expected an ISO 8601 date, or a time with an offset.");
  return parsed.data;
}
