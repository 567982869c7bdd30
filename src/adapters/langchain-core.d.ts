/*
 * As much of `@langchain/core` 1 as the adapter uses: the package is an optional peer, which this project does not install. Its own types
 * are those that a program sees.
 */
declare module "@langchain/core/tools" {
  export class DynamicStructuredTool {
    constructor(fields: {
      readonly name: string;
      readonly description: string;
      readonly schema: unknown;
      readonly responseFormat: "content_and_artifact";
      readonly verboseParsingErrors: boolean;
      readonly func: (
        input: Record<string, unknown>,
        runManager: unknown,
        config?: { readonly signal?: AbortSignal; readonly toolCall?: { readonly id?: string } },
      ) => Promise<unknown>;
    });
  }
}

declare module "@langchain/core/messages" {
  export class ToolMessage {
    constructor(fields: {
      readonly status: "success" | "error";
      readonly content: string;
      readonly artifact: unknown;
      readonly name: string;
      readonly tool_call_id: string;
    });
  }
}

declare module "@langchain/core/retrievers" {
  interface DocumentInterface {
    pageContent: string;
    metadata: Record<string, unknown>;
    id?: string;
  }
  export class BaseRetriever {
    invoke(query: string, config?: { readonly signal?: AbortSignal }): Promise<DocumentInterface[]>;
  }
}
