import type { z } from "zod";

/**
 * Checks a value without compiling a parser. For rarely parsed schemas, such as manifests, compiling takes longer than parsing.
 * @throws ZodError
 */
export function parseOnce<T>(schema: z.ZodType<T>, value: unknown): T {
  return schema.parse(value, { jitless: true });
}
