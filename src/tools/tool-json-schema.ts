import { z } from "zod";
import { checkArgument } from "../contract/check-options.js";
import type { JsonObject } from "../contract/json.js";

const SchemaArgument = z.custom<z.ZodType>(
  (value) => typeof value === "object" && value !== null && "_zod" in value,
  "must be a schema of a tool: its inputSchema or outputSchema",
);
const IoArgument = z.enum(["input", "output"]);

/**
 * The JSON Schema (draft 2020-12) of a tool's input or output, without bounds that say nothing.
 * @throws UsageError `invalid_argument`
 */
export function toolJsonSchema(schema: z.ZodType, io: "input" | "output"): JsonObject {
  checkArgument(SchemaArgument, schema, "schema", "toolJsonSchema");
  checkArgument(IoArgument, io, "io", "toolJsonSchema");
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
