import type { z } from "zod";
import type { LakeClient } from "../client/open-lake.js";
import type { Embedder } from "../search/embed/embedder.js";
import type { AsOfRule } from "../service/as-of-rule.js";
import type { Jobs } from "./jobs.js";
import type { LakeFacts } from "./lake-facts.js";
import type { LocalCalls } from "./local-calls.js";
import type { SqlResults } from "./sql-results.js";

/** What a route of the console works with. */
export interface ConsoleContext {
  readonly lake: LakeClient;
  readonly version: string;
  /** Whether slices may be pulled and installed: the lake was not opened read-only. */
  readonly writable: boolean;
  /** Embedder that the lake was opened with. */
  readonly embedder: Embedder | undefined;
  readonly facts: LakeFacts;
  readonly jobs: Jobs;
  readonly results: SqlResults;
  readonly calls: LocalCalls;
  /** What windows are measured from: what `serve --as-of` said, and the instant that it means now. */
  readonly asOf: { readonly rule: AsOfRule; readonly ms: () => number };
  /** Aborted when the page goes away. */
  readonly signal: AbortSignal;
}

/** A route of the console's API: `params` are the query of a GET, the JSON body of a POST. */
export interface Route<Params extends z.ZodObject = z.ZodObject> {
  readonly method: "GET" | "POST";
  /** Path below `/console/api/`. */
  readonly path: string;
  readonly params: Params;
  /** Answers with a value, which becomes JSON, or with a response. */
  answer(params: z.output<Params>, context: ConsoleContext): Promise<unknown>;
}

/** Declares a route; the schema types its parameters. */
export function route<const Params extends z.ZodObject>(given: Route<Params>): Route {
  return given as unknown as Route;
}
