import type { Tool, ToolClient } from "../tools/tool.js";
import { type ToolsOptions, tools } from "../tools/tools.js";

/** A client, whose tools are made, or tools that are there already, such as a set with a budget. */
export type ToolSource = ToolClient | readonly Tool[];

/** The tools of a source. */
export function toolSet(source: ToolSource, options?: ToolsOptions): readonly Tool[] {
  return Array.isArray(source) ? (source as readonly Tool[]) : tools(source as ToolClient, options);
}
