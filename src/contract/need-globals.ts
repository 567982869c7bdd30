import { UsageError } from "./errors.js";

/**
 * Checks that globals of Node.js are there. Environments of test runners may hide them, and packages that need them fail in ways that
 * do not say so.
 * @param what is needed for: `SQL`
 * @throws UsageError `globals_missing`
 */
export function needGlobals(names: readonly string[], what: string): void {
  const missing = names.filter((name) => (globalThis as Record<string, unknown>)[name] === undefined);
  if (missing.length === 0) return;
  throw new UsageError(
    "globals_missing",
    `${what} needs ${missing.join(", ")}, which this environment lacks`,
    {
      value: missing,
      remedy: "run it in Node.js itself: in jest, begin the test file with /** @jest-environment node */",
    },
  );
}
