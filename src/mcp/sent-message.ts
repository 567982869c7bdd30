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

const NOTHING: SentMessage = { begins: false, id: undefined, cancels: undefined };

/** Reads a copy of a body of one message. Of a body that is none the protocol's handler says what is wrong. */
export async function sentMessage(request: Request): Promise<SentMessage> {
  if (request.method !== "POST" || !isJsonContentType(request.headers.get("content-type"))) return NOTHING;
  const message = await messageOf(request.clone());
  const cancelled = Cancelled.safeParse(message);
  return {
    begins: isInitializeRequest(message),
    id: isJSONRPCRequest(message) ? message.id : undefined,
    cancels: cancelled.data?.params.requestId,
  };
}

async function messageOf(copy: Request): Promise<unknown> {
  try {
    const read = await readRequestBody(copy, MCP_DEFAULTS.maxRequestBytes);
    return read.tooLarge ? undefined : JSON.parse(read.text);
  } catch {
    return undefined; // the handler meets the same failure, and answers it
  }
}
