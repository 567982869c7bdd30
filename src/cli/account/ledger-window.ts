import { type Command, InvalidArgumentError } from "commander";
import { DayOrInstant } from "../../contract/service/shared-params.js";

/** Adds `--from` and `--to`. */
export function ledgerWindowOptions(command: Command): Command {
  return command
    .option("--from <when>", "from this day (Asia/Singapore) or ISO 8601 instant on", dayOrInstant)
    .option("--to <when>", "up to this day (Asia/Singapore) or ISO 8601 instant", dayOrInstant);
}

function dayOrInstant(text: string): string {
  const parsed = DayOrInstant.safeParse(text);
  if (!parsed.success) throw new InvalidArgumentError("Expected an ISO 8601 date, or a time with an offset.");
  return parsed.data;
}
