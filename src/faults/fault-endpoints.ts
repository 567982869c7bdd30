import { UsageError } from "../contract/errors.js";
import { didYouMean, nearestName } from "../contract/nearest-name.js";
import type { FaultRule } from "./fault-plan.js";

/** Tells which endpoints a fault meets. @param pattern catalogue id, or a pattern with `*` */
export function meetsPattern(pattern: string): (endpoint: string) => boolean {
  const parts = pattern.split("*").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const expression = new RegExp(`^${parts.join(".*")}$`);
  return (endpoint) => expression.test(endpoint);
}

/**
 * Checks that each fault meets some endpoint: one that meets none would never happen.
 * @param endpoints catalogue ids
 * @throws UsageError `invalid_faults`, which names the nearest endpoint
 */
export function checkEndpoints(faults: readonly FaultRule[], endpoints: () => readonly string[]): void {
  for (const { endpoint: pattern } of faults) {
    if (pattern === "*") continue;
    const known = endpoints();
    if (known.some(meetsPattern(pattern))) continue;
    const meant = nearestName(
      pattern,
      known.map((id) => asPattern(id, pattern)),
    );
    throw new UsageError(
      "invalid_faults",
      `Not a plan of faults: no endpoint is met by ${JSON.stringify(pattern)}${didYouMean(meant)}`,
      {
        value: pattern,
        remedy:
          'Name an endpoint by its id in the catalogue, such as "search", or several by a pattern, such as "raw.*".',
      },
    );
  }
}

/** An id with `*` in the places in which a pattern has it. */
function asPattern(id: string, pattern: string): string {
  const [parts, wanted] = [id.split("."), pattern.split(".")];
  if (parts.length !== wanted.length) return id;
  return parts.map((part, i) => (wanted[i] === "*" ? "*" : part)).join(".");
}
