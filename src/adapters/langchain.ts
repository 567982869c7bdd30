/** Tools and a retriever for LangChain (`@langchain/core` 1). @module mirrorlake/langchain */
import { ToolMessage } from "@langchain/core/messages";
import { BaseRetriever } from "@langchain/core/retrievers";
import { DynamicStructuredTool } from "@langchain/core/tools";
import type { Client } from "../client/client.js";
import { checkArgument } from "../contract/check-options.js";
import { objectOption } from "../contract/option-schemas.js";
import type { SearchParams } from "../contract/service/search-record.js";
import { recordRow } from "../tools/cited-rows.js";
import { TOOL_DEFAULTS } from "../tools/defaults.js";
import { toolJsonSchema } from "../tools/tool-json-schema.js";
import type { ToolsOptions } from "../tools/tools.js";
import { type ToolSource, toolSet } from "./tool-set.js";

/**
 * Makes tools for LangChain. The content of a result is the answer's text, its artifact the records; a call
 * that failed is a message of status `error`. LangChain refuses an input that does
 * not fit the schema, and says why; the tool checks it once more. They honour the signal of the run.
 */
export function langchainTools(source: ToolSource, options?: ToolsOptions): DynamicStructuredTool[] {
  return toolSet(source, options).map(
    (tool) =>
      new DynamicStructuredTool({
        name: tool.name,
        description: tool.description,
        schema: toolJsonSchema(tool.inputSchema, "input"),
        responseFormat: "content_and_artifact",
        verboseParsingErrors: true,
        func: async (input, _runManager, config) => {
          const { text, ...artifact } = await tool.execute(input, { signal: config?.signal });
          const id = config?.toolCall?.id;
          if (!artifact.isError || id === undefined) return [text, artifact];
          // Text would become a message of status "success".
          const content = new ToolMessage({
            status: "error",
            content: text,
            artifact,
            name: tool.name,
            tool_call_id: id,
          });
          return [content, artifact];
        },
      }),
  );
}

/** A record as LangChain's documents are: the text, and the other fields as metadata, with the citation. */
export interface RetrievedDocument {
  pageContent: string;
  metadata: Record<string, unknown>;
  /** Id of the record. */
  id: string;
}

const SearchClient = objectOption<Pick<Client, "search">>(
  ["search"],
  "a client: of openLake, connect or withBudget",
);

/** Parameters of every search of a retriever. */
export type RetrieverOptions = Omit<Partial<SearchParams>, "query" | "format">;

/** A retriever over a lake or the remote service. It honours the signal of the run. */
export class LakeRetriever extends BaseRetriever {
  lc_namespace = ["mirrorlake"];
  private readonly client: Pick<Client, "search">;
  private readonly params: RetrieverOptions;
  private readonly signal: AbortSignal | undefined;

  /** @throws UsageError `invalid_argument` for what is no client */
  constructor(client: Pick<Client, "search">, params: RetrieverOptions = {}) {
    super();
    checkArgument(SearchClient, client, "client", "LakeRetriever");
    this.client = client;
    this.params = params;
    this.signal = undefined;
  }

  /** Each run has its own signal, which LangChain does not pass on. */
  override invoke(query: string, config?: { readonly signal?: AbortSignal }): Promise<RetrievedDocument[]> {
    const run = Object.create(this, { signal: { value: config?.signal } }) as LakeRetriever;
    return super.invoke.call(run, query, config) as Promise<RetrievedDocument[]>;
  }

  /** Called by LangChain. */
  async _getRelevantDocuments(query: string): Promise<RetrievedDocument[]> {
    const { freshness = TOOL_DEFAULTS.freshness, limit = TOOL_DEFAULTS.records, ...params } = this.params;
    const { data } = await this.client.search(
      { ...params, query, freshness, limit },
      { signal: this.signal },
    );
    return data.map((record) => {
      const { value, cite } = recordRow(record);
      const { text, title, id, ...metadata } = value as Record<string, unknown>;
      const pageContent = [title, text].filter((part) => typeof part === "string").join("\n");
      return { pageContent, metadata: { ...metadata, cite }, id: String(id) };
    });
  }
}
