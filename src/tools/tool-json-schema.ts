import { z } from "zod";
import type { JsonObject } from "../contract/json.js";

/** The JSON Schema (draft 2020-12) of a tool's input or output, without bounds that say nothing. */
export function toolJsonSchema(schema: z.ZodType, io: "input" | "output"): JsonObject {
  const { $schema: _, ...converted } = z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    override: ({ jsonSchema }) => {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  });
  return converted as JsonObject;
}
