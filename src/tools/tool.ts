import { z } from "zod";
import type { Answer } from "../client/answer.js";
import type { Client } from "../client/client.js";
import type { LakeQueries } from "../client/lake-queries.js";
import { checkOptions, optionsSchema } from "../contract/check-options.js";
import { CallbackOption, SignalOption } from "../contract/option-schemas.js";
import type { EndpointSpec } from "../contract/service/endpoint.js";
import type { Draft, ToolAnswer } from "./answer.js";

/** What tools need of a client: that of `openLake` or `connect`, or one with a budget. */
export interface ToolClient extends Pick<Client, "call" | "catalogue"> {
  /** The queries of a lake; a remote client has none. */
  readonly sqlStream?: LakeQueries["sqlStream"];
  /** What is left of the budget, in words, if the client has one (`withBudget`). */
  readonly budgetLeft?: () => string;
}

/** Hints for clients about what a tool does (Model Context Protocol, `ToolAnnotations`). */
export interface ToolAnnotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** Options of one call of a tool. */
export interface ExecuteOptions {
  /** Cancels the call: it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Called when a step of the call is done: steps or rows so far, and a few words. */
  readonly onProgress?: ((done: number, message: string) => void) | undefined;
  /** Most tokens of this answer; at most those of the tool set. */
  readonly tokens?: number | undefined;
}

const EXECUTE_OPTIONS = optionsSchema<ExecuteOptions>(() => ({
  signal: SignalOption.optional(),
  onProgress: CallbackOption.optional(),
  tokens: z.number().int().min(1).optional(),
}));

/** Checks the options of a call of a tool. @throws UsageError `invalid_options` */
export function checkExecute(options: ExecuteOptions): void {
  checkOptions(EXECUTE_OPTIONS, options, "execute");
}

/** One tool for a model, in no framework's form; the adapters turn it into each. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  /** For the model. */
  readonly description: string;
  /** Schema of the input: zod 4, which is Standard Schema and Standard JSON Schema. */
  readonly inputSchema: z.ZodType<Record<string, unknown>>;
  /** Schema of {@link ToolAnswer.structured}. */
  readonly outputSchema: z.ZodType<ToolAnswer["structured"]>;
  readonly annotations: ToolAnnotations;
  /** Most tokens of an answer. */
  readonly maxTokens: number;
  /** The most that a call can cost, decimal USD. */
  readonly maxUsd: string;
  /**
   * Checks the input and runs the tool. What a model can repair (a wrong input, an unknown id, a limit) is an answer with `isError`.
   * @throws UsageError `invalid_options`; the signal's reason if cancelled
   */
  execute(input: unknown, options?: ExecuteOptions): Promise<ToolAnswer>;
}

/** What a running tool gets. */
export interface ToolContext {
  readonly client: ToolClient;
  readonly catalogue: readonly EndpointSpec[];
  readonly signal: AbortSignal;
  /** Calls the service and adds up the cost. */
  readonly call: (endpoint: string, params: Readonly<Record<string, unknown>>) => Promise<Answer>;
  /** Tells how far the call is, and what an answer would say if time were over now. */
  readonly report: (done: number, message: string, soFar?: Draft) => void;
  /** Most tokens of the answer. */
  readonly tokens: number;
}

/** A tool before it has a client. */
export interface ToolSpec<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  /** Whether a call may change something other than the balance. */
  readonly readOnly: boolean;
  /** Whether it reads only what the lake holds, and no world behind it. */
  readonly closed?: boolean;
  /** The endpoints of the service that it can call. */
  readonly endpoints: (catalogue: readonly EndpointSpec[]) => readonly EndpointSpec[];
  /** Whether a client can have this tool. */
  readonly available: (client: ToolClient) => boolean;
  readonly run: (input: z.output<Input>, context: ToolContext) => Promise<Draft>;
}

/** Declares a tool; its `run` gets the checked input. */
export function defineTool<Input extends z.ZodObject>(
  spec: Omit<ToolSpec<Input>, "readOnly" | "available"> & Partial<Pick<ToolSpec<Input>, "available">>,
): ToolSpec {
  return { readOnly: true, available: () => true, ...spec } as unknown as ToolSpec;
}
