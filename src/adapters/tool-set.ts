import { UsageError } from "../contract/errors.js";
import type { Tool, ToolClient } from "../tools/tool.js";
import { type ToolsOptions, tools } from "../tools/tools.js";

/** A client, whose tools are made, or tools that are there already, such as a set with a budget. */
export type ToolSource = ToolClient | readonly Tool[];

/**
 * The tools of a source.
 * @throws UsageError `invalid_options` for options of tools that are made; `invalid_argument`
 */
export function toolSet(source: ToolSource, options?: ToolsOptions): readonly Tool[] {
  if (!Array.isArray(source)) return tools(source as ToolClient, options);
  const [first] = Object.entries(options ?? {}).find(([, value]) => value !== undefined) ?? [];
  if (first !== undefined)
    throw new UsageError("invalid_options", `tools that are made already take no options, such as ${first}`, {
      value: first,
      remedy: "give the options to tools(client, options), and what it returns here",
    });
  return source as readonly Tool[];
}
