import type { z } from "zod";

/**
 * Checks a value of a kind that is read once or twice, such as a manifest: for it, compiling a parser of its schema takes longer
 * than parsing does. Throws `ZodError`.
 */
export function parseOnce<T>(schema: z.ZodType<T>, value: unknown): T {
  return schema.parse(value, { jitless: true });
}
