/** Tools for the AI SDK (`ai` 6 and 7). @module mirrorlake/ai */
import type { ToolAnswer } from "../tools/answer.js";
import type { Tool } from "../tools/tool.js";
import type { ToolsOptions } from "../tools/tools.js";
import { type ToolSource, toolSet } from "./tool-set.js";

/** Makes a JSON Schema, by Standard JSON Schema 1 (https://standardschema.dev). */
type MakeJsonSchema = (options: { readonly target: string }) => Record<string, unknown>;

/** A schema that gives its JSON Schema, which the types of earlier versions of the SDK ask for. */
interface JsonSchemaSource {
  readonly "~standard": {
    readonly jsonSchema: { readonly input: MakeJsonSchema; readonly output: MakeJsonSchema };
  };
}

/** A tool as `generateText` and `streamText` take it. */
export interface AiTool {
  readonly description: string;
  readonly inputSchema: Tool["inputSchema"] & JsonSchemaSource;
  readonly execute: (
    input: Record<string, unknown>,
    options: { readonly abortSignal?: AbortSignal | undefined },
  ) => Promise<ToolAnswer>;
  /** The model gets the answer's text alone; a program finds the rest in the result's `output`. */
  readonly toModelOutput: (result: { readonly output: ToolAnswer }) => {
    readonly type: "text" | "error-text";
    readonly value: string;
  };
}

/** Makes tools for the AI SDK: `generateText({ model, tools: aiTools(lake), prompt })`. They honour `abortSignal`. */
export function aiTools(source: ToolSource, options?: ToolsOptions): Record<string, AiTool> {
  const entries = toolSet(source, options).map((tool): [string, AiTool] => [
    tool.name,
    {
      description: tool.description,
      inputSchema: tool.inputSchema,
      execute: (input, { abortSignal }) => tool.execute(input, { signal: abortSignal }),
      toModelOutput: ({ output }) => ({ type: output.isError ? "error-text" : "text", value: output.text }),
    },
  ]);
  return Object.fromEntries(entries);
}
