import { IngestError } from "../contract/errors.js";
import { monthNumber } from "../contract/utc-calendar.js";

/** Months since year 0 of an instant, in UTC. @throws IngestError `timestamp_invalid` */
export function monthOf(timestamp: string, id: string): number {
  const ms = Date.parse(timestamp);
  if (Number.isNaN(ms)) {
    throw new IngestError("timestamp_invalid", `"${timestamp}" of ${id} is not an instant`, {
      value: timestamp,
      remedy: "give an ISO 8601 instant with an offset",
    });
  }
  return monthNumber(ms);
}
