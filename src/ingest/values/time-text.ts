import { isBeyondCalendar } from "../../contract/utc-calendar.js";
import { FieldError } from "./field-error.js";
import { type Instant, isoText } from "./time-format.js";

/**
 * ISO 8601 text of a field's instant.
 * @param value what the row says
 * @throws FieldError if no such text names it: it, or its reading in its own offset, is not in the years 0000 to 9999
 */
export function timeText(instant: Instant, field: string, value: unknown): string {
  const { ms, offsetMinutes } = instant;
  if (isBeyondCalendar(ms) || isBeyondCalendar(ms + offsetMinutes * 60_000))
    throw new FieldError(field, "is not in the years 0000 to 9999 in UTC", value);
  return isoText(instant);
}
