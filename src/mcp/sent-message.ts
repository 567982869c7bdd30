import {
  isInitializeRequest,
  isJSONRPCRequest,
  isJsonContentType,
  readRequestBody,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { MCP_DEFAULTS } from "./defaults.js";

const Cancelled = z.object({
  method: z.literal("notifications/cancelled"),
  params: z.object({ requestId: z.union([z.string(), z.number()]) }),
});

/** What a request's body says of the course of a session. */
export interface SentMessage {
  /** Whether it begins a session. */
  readonly begins: boolean;
  /** Id of the request in it. */
  readonly id: string | number | undefined;
  /** Id of the request that it cancels. */
  readonly cancels: string | number | undefined;
}

/** Reads what a message says of the course of a session. Of a body that is none the protocol's handler says what is wrong. */
export function sentMessage(message: unknown): SentMessage {
  const cancelled = Cancelled.safeParse(message);
  return {
    begins: isInitializeRequest(message),
    id: isJSONRPCRequest(message) ? message.id : undefined,
    cancels: cancelled.data?.params.requestId,
  };
}

/** Reads a copy of a request's body, and leaves the request as it is. @returns the value; undefined if there is none */
export async function sentValue(request: Request): Promise<unknown> {
  if (request.method !== "POST" || !isJsonContentType(request.headers.get("content-type"))) return undefined;
  try {
    const read = await readRequestBody(request.clone(), MCP_DEFAULTS.maxRequestBytes);
    return read.tooLarge ? undefined : JSON.parse(read.text);
  } catch {
    return undefined; // the handler meets the same failure, and answers it
  }
}
