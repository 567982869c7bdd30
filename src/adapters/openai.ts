/** Tools for OpenAI's API (`openai`) and agents (`@openai/agents`). @module mirrorlake/openai */
import type { JsonObject } from "../contract/json.js";
import type { Tool } from "../tools/tool.js";
import { toolJsonSchema } from "../tools/tool-json-schema.js";
import type { ToolsOptions } from "../tools/tools.js";
import { type ToolSource, toolSet } from "./tool-set.js";

/** A function of the Responses API. */
export interface OpenaiFunction {
  type: "function";
  name: string;
  description: string;
  parameters: Record<string, unknown>;
  strict: false;
}

/** A function of the Chat Completions API. */
export interface OpenaiChatFunction {
  type: "function";
  function: { name: string; description: string; parameters: Record<string, unknown> };
}

/** A call by a model: an item `function_call` of the Responses API, or a tool call of Chat Completions. */
export type OpenaiCall =
  | { readonly type: string; readonly call_id: string; readonly name: string; readonly arguments: string }
  | { readonly id: string; readonly function: { readonly name: string; readonly arguments: string } };

/** What answers a call of the Responses API, as an item of its next `input`. */
export interface OpenaiOutput {
  type: "function_call_output";
  call_id: string;
  output: string;
}

/** What answers a call of Chat Completions, as one of its next `messages`. */
export interface OpenaiChatMessage {
  role: "tool";
  tool_call_id: string;
  content: string;
}

/** What answers a call, in the form of the API that it came from. */
export type OpenaiResult = OpenaiOutput | OpenaiChatMessage;

/** What answers one kind of call: a tool call of Chat Completions, or an item of a response; nothing for other items. */
export type OpenaiResultOf<Call> = unknown extends Call
  ? OpenaiResult
  : Call extends { readonly function: unknown }
    ? OpenaiChatMessage
    : Call extends { readonly type: infer Type }
      ? "function_call" extends Type
        ? OpenaiOutput
        : never
      : OpenaiResult;

/** Functions, and what runs the calls of them. */
export interface OpenaiTools {
  /** For `responses.create({ tools })`. */
  readonly tools: OpenaiFunction[];
  /** For `chat.completions.create({ tools })`. */
  readonly chatTools: OpenaiChatFunction[];
  /**
   * Runs calls at the same time, and answers them in their order; other items of a response are left out. A message without calls has
   * no list: nothing runs, and nothing is answered.
   */
  run<Call>(
    calls: readonly Call[] | null | undefined,
    options?: { readonly signal?: AbortSignal },
  ): Promise<OpenaiResultOf<Call>[]>;
}

/** Makes functions for OpenAI's API, and a dispatcher that runs what a model calls. */
export function openaiTools(source: ToolSource, options?: ToolsOptions): OpenaiTools {
  const set = toolSet(source, options);
  const byName = new Map(set.map((tool) => [tool.name, tool]));
  const described = set.map((tool) => ({
    name: tool.name,
    description: tool.description,
    parameters: parametersOf(tool),
  }));
  return {
    tools: described.map((tool) => ({ type: "function", ...tool, strict: false })),
    chatTools: described.map((tool) => ({ type: "function", function: tool })),
    run: <Call>(
      calls: readonly Call[] | null | undefined,
      { signal }: { readonly signal?: AbortSignal } = {},
    ) =>
      Promise.all(
        ((calls ?? []) as readonly unknown[]).filter(isCall).map(async (call): Promise<OpenaiResult> => {
          const of = "function" in call ? call.function : call;
          const text = await runCall(byName.get(of.name), of.name, of.arguments, signal);
          return "function" in call
            ? { role: "tool", tool_call_id: call.id, content: text }
            : { type: "function_call_output", call_id: call.call_id, output: text };
        }),
      ) as Promise<OpenaiResultOf<Call>[]>,
  };
}

/** A tool of `@openai/agents`. */
export interface OpenaiAgentTool {
  type: "function";
  name: string;
  description: string;
  // biome-ignore lint/suspicious/noExplicitAny: the library's own type of a schema
  parameters: any;
  strict: boolean;
  /** @param details early versions give no signal */
  invoke: (
    context: unknown,
    input: string,
    details?: { readonly toolCall?: unknown; readonly signal?: AbortSignal },
  ) => Promise<string>;
  needsApproval: () => Promise<boolean>;
  isEnabled: () => Promise<boolean>;
}

/** Makes tools for `@openai/agents`: `new Agent({ tools: agentTools(lake) })`. They honour the run's signal. */
export function agentTools(source: ToolSource, options?: ToolsOptions): OpenaiAgentTool[] {
  return toolSet(source, options).map((tool) => ({
    type: "function",
    name: tool.name,
    description: tool.description,
    parameters: parametersOf(tool),
    strict: false,
    invoke: (_context, input, details) => runCall(tool, tool.name, input, details?.signal),
    needsApproval: async () => false,
    isEnabled: async () => true,
  }));
}

function parametersOf(tool: Tool): Record<string, unknown> {
  const schema: JsonObject = toolJsonSchema(tool.inputSchema, "input");
  return { ...schema };
}

function isCall(item: unknown): item is OpenaiCall {
  const { type, call_id, function: of } = (item ?? {}) as Readonly<Record<string, unknown>>;
  return (type === "function_call" && typeof call_id === "string") || (typeof of === "object" && of !== null);
}

/** Runs a call; what a model can repair, such as arguments that are no JSON, is text for it. */
async function runCall(
  tool: Tool | undefined,
  name: string,
  input: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  if (tool === undefined) return `There is no tool ${name}.`;
  let parsed: unknown;
  try {
    parsed = JSON.parse(input === "" ? "{}" : input);
  } catch {
    return `The arguments of ${name} are no JSON. Nothing was called.`;
  }
  return (await tool.execute(parsed, { signal })).text;
}
