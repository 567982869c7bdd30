import type { z } from "zod";

interface Definition {
  readonly type: string;
  readonly innerType?: z.core.$ZodType;
  readonly in?: z.core.$ZodType;
  readonly element?: z.core.$ZodType;
  readonly options?: readonly z.core.$ZodType[];
  readonly left?: z.core.$ZodType;
  readonly right?: z.core.$ZodType;
}

/**
 * Says whether no text of a URL can be a value of a schema, because it takes objects alone, or lists of them. References to other
 * schemas are not followed: they may lead back.
 */
export function hasNoUrlText(schema: z.core.$ZodType): boolean {
  const def = schema._zod.def as unknown as Definition;
  if (def.type === "object" || def.type === "record") return true;
  if (def.options !== undefined) return def.options.every(hasNoUrlText);
  if (def.left !== undefined && def.right !== undefined)
    return hasNoUrlText(def.left) || hasNoUrlText(def.right);
  const inner = def.innerType ?? def.in ?? def.element;
  return inner !== undefined && hasNoUrlText(inner);
}
