import type { Client } from "mirrorlake";
import { aiTools } from "mirrorlake/ai";
import { agentTools, openaiTools } from "mirrorlake/openai";

/** Standard Schema 1 and Standard JSON Schema 1, as frameworks ask for them (https://standardschema.dev). */
interface StandardSchema<Input, Output> {
  readonly "~standard": {
    readonly jsonSchema: {
      readonly input: (options: { readonly target: "draft-07" }) => Record<string, unknown>;
      readonly output: (options: { readonly target: "draft-07" }) => Record<string, unknown>;
    };
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => Result<Output> | Promise<Result<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

type Result<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | {
      readonly issues: readonly {
        readonly message: string;
        readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
      }[];
    };

/** The tools of the AI SDK take a Standard Schema; those of earlier versions of 6 and 7 ask for its JSON Schema, too. */
export function schemas(client: Client): Record<string, StandardSchema<unknown, Record<string, unknown>>> {
  const tools = aiTools(client);
  return Object.fromEntries(Object.entries(tools).map(([name, { inputSchema }]) => [name, inputSchema]));
}

type Item =
  | { type: "message"; id: string; content: string[] }
  | { type: "function_call"; call_id: string; name: string; arguments: string };
type Output = { type: "function_call_output"; call_id: string; output: string };

/** The results of a response's calls are items of the next input. */
export async function nextInput(client: Client, output: Item[]): Promise<(Item | Output)[]> {
  return [...output, ...(await openaiTools(client).run(output))];
}

type ChatCall =
  | { type: "function"; id: string; function: { name: string; arguments: string } }
  | { type: "custom"; id: string; custom: { name: string; input: string } };
type ChatMessage = { role: "tool"; tool_call_id: string; content: string };

/** Those of a completion's calls are its next messages. */
export function nextMessages(client: Client, calls: ChatCall[]): Promise<ChatMessage[]> {
  return openaiTools(client).run(calls);
}

/** Of what is not known to be a call, either may come. */
export function results(client: Client, calls: readonly unknown[]): Promise<(Output | ChatMessage)[]> {
  return openaiTools(client).run(calls);
}

/** An agent's function as `@openai/agents` had it in early versions: its details have no signal. */
interface AgentFunction {
  invoke: (context: object, input: string, details?: { toolCall: object }) => Promise<unknown>;
}

export function functionsOf(client: Client): AgentFunction[] {
  return agentTools(client);
}
