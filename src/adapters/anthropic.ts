/** Tools for Anthropic's API (`@anthropic-ai/sdk` 1). @module mirrorlake/anthropic */

import type { Tool } from "../tools/tool.js";
import { toolJsonSchema } from "../tools/tool-json-schema.js";
import type { ToolsOptions } from "../tools/tools.js";
import { type ToolSource, toolSet } from "./tool-set.js";

/** A tool that `client.beta.messages.toolRunner({ tools })` runs; `messages.create` takes its other fields. */
export interface AnthropicTool {
  name: string;
  description: string;
  input_schema: { type: "object"; [key: string]: unknown };
  /** @throws Error with the answer's text where the call failed: the runner marks the result as an error */
  run: (
    input: Record<string, unknown>,
    context?: { readonly signal?: AbortSignal | null | undefined },
  ) => Promise<string>;
  parse: (content: unknown) => Record<string, unknown>;
}

/** A tool's result, as the next message carries it. */
export interface AnthropicResult {
  type: "tool_result";
  tool_use_id: string;
  content: string;
  is_error: boolean;
}

/** Makes tools for Anthropic's tool runner: `client.beta.messages.toolRunner({ …, tools: anthropicTools(lake) })`. */
export function anthropicTools(source: ToolSource, options?: ToolsOptions): AnthropicTool[] {
  return toolSet(source, options).map((tool) => ({
    name: tool.name,
    description: tool.description,
    input_schema: { ...toolJsonSchema(tool.inputSchema, "input"), type: "object" },
    run: async (input, context) => {
      const answer = await tool.execute(input, { signal: context?.signal ?? undefined });
      if (answer.isError) throw new Error(answer.text);
      return answer.text;
    },
    parse: (content) => content as Record<string, unknown>, // the tool checks its input itself
  }));
}

/** Runs the `tool_use` blocks of a message at the same time; gives their results in order, for a loop of one's own. */
export function runAnthropicCalls(
  set: readonly Tool[],
  content: readonly { readonly type: string }[],
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<AnthropicResult[]> {
  const calls = content.filter(({ type }) => type === "tool_use") as unknown as readonly {
    readonly id: string;
    readonly name: string;
    readonly input: unknown;
  }[];
  return Promise.all(
    calls.map(async ({ id, name, input }) => {
      const answer = await set.find((tool) => tool.name === name)?.execute(input, { signal });
      return {
        type: "tool_result",
        tool_use_id: id,
        content: answer?.text ?? `There is no tool ${name}.`,
        is_error: answer?.isError ?? true,
      };
    }),
  );
}
