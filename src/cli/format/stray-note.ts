import { counted } from "../../contract/quantity.js";
import type { StrayCaptures } from "../../store/as-of.js";

/** Says that captures are too late to be true, and what follows. */
export function strayNote({ count, newest }: StrayCaptures): string {
  return `${counted(count, "capture is", "captures are")} too late to be true, the latest ${newest}: they do not count for as-of, and searches measured from it leave them out`;
}
