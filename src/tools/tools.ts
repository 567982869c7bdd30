import { z } from "zod";
import { checkArgument, checkOptions, optionsSchema } from "../contract/check-options.js";
import { formatUsd, type MicroUsd, ZERO_USD } from "../contract/money.js";
import { FlagOption, objectOption } from "../contract/option-schemas.js";
import type { EndpointSpec } from "../contract/service/endpoint.js";
import { TOOL_DEFAULTS } from "./defaults.js";
import { FiguresSchema } from "./figures-schema.js";
import { runTool } from "./run-tool.js";
import { getAccount } from "./set/get-account.js";
import { getItem } from "./set/get-item.js";
import { getTrend } from "./set/get-trend.js";
import { listDatasets } from "./set/list-datasets.js";
import { listItems } from "./set/list-items.js";
import { listPlatforms } from "./set/list-platforms.js";
import { querySql } from "./set/query-sql.js";
import { search } from "./set/search.js";
import type { Tool, ToolClient, ToolSpec } from "./tool.js";

const SPECS: readonly ToolSpec[] = [
  search,
  getItem,
  listItems,
  getTrend,
  listDatasets,
  listPlatforms,
  querySql,
  getAccount,
];

/** Name of a tool. */
export type ToolName =
  | "search"
  | "get_item"
  | "list_items"
  | "get_trend"
  | "list_datasets"
  | "list_platforms"
  | "query_sql"
  | "get_account";

const NAMES = [
  "search",
  "get_item",
  "list_items",
  "get_trend",
  "list_datasets",
  "list_platforms",
  "query_sql",
  "get_account",
] as const satisfies readonly ToolName[];

/** Options of {@link tools}. */
export interface ToolsOptions {
  /** Only these tools. */
  readonly only?: readonly ToolName[] | undefined;
  /** Not these tools. */
  readonly exclude?: readonly ToolName[] | undefined;
  /** Only tools that change nothing but the balance. All tools of this version are such. */
  readonly readOnly?: boolean | undefined;
  /** Most tokens of an answer, as `countTokens` counts them: 1,000 to 25,000; default 8,000. */
  readonly tokens?: number | undefined;
  /** Time of a call in milliseconds: at most 25,000, the default. An answer that is late says what there is by then. */
  readonly deadlineMs?: number | undefined;
}

const OPTIONS = optionsSchema<ToolsOptions>(() => ({
  only: z.array(z.enum(NAMES)).optional(),
  exclude: z.array(z.enum(NAMES)).optional(),
  readOnly: FlagOption.optional(),
  tokens: z.number().int().min(TOOL_DEFAULTS.minTokens).max(TOOL_DEFAULTS.maxTokens).optional(),
  deadlineMs: z.number().int().min(1).max(TOOL_DEFAULTS.maxDeadlineMs).optional(),
}));

const ClientArgument = objectOption<ToolClient>(["call"], "a client: of openLake, connect or withBudget");

/**
 * Makes tools for language models from a client's catalogue: at most eight, over a lake and the remote service alike. They are plain
 * objects in no framework's form; `mirrorlake/ai`, `/langchain`, `/openai` and `/anthropic` turn them into each.
 * @throws UsageError `invalid_argument`, `invalid_options`
 */
export function tools(client: ToolClient, options: ToolsOptions = {}): Tool[] {
  checkArgument(ClientArgument, client, "client", "tools");
  checkOptions(OPTIONS, options, "tools");
  const {
    only,
    exclude = [],
    tokens = TOOL_DEFAULTS.tokens,
    deadlineMs = TOOL_DEFAULTS.deadlineMs,
  } = options;
  const limits = { tokens, deadlineMs };
  return SPECS.filter(
    (spec) =>
      spec.available(client) &&
      (only === undefined || only.some((name) => name === spec.name)) &&
      !exclude.some((name) => name === spec.name) &&
      (options.readOnly !== true || spec.readOnly),
  ).map((spec) => toTool(spec, client, limits));
}

function toTool(spec: ToolSpec, client: ToolClient, limits: Parameters<typeof runTool>[4]): Tool {
  const { name, title, description, input, readOnly, closed = false } = spec;
  return {
    name,
    title,
    description,
    inputSchema: input as unknown as Tool["inputSchema"],
    outputSchema: FiguresSchema,
    maxTokens: limits.tokens,
    maxUsd: formatUsd(dearest(spec.endpoints(client.catalogue))),
    annotations: {
      readOnlyHint: readOnly,
      destructiveHint: !readOnly,
      idempotentHint: true,
      openWorldHint: !closed,
    },
    execute: (given, options = {}) => runTool(spec, client, given, options, limits),
  };
}

function dearest(rows: readonly EndpointSpec[]): MicroUsd {
  let most: MicroUsd = ZERO_USD;
  for (const { price } of rows) if (price > most) most = price;
  return most;
}
