import { classifyInboundRequest, isInitializeRequest } from "@modelcontextprotocol/server";
import { MCP_DEFAULTS } from "./defaults.js";

/** The first version of the protocol without batches (its changelog, "Major changes"). */
const WITHOUT_BATCHES = "2025-06-18";

/**
 * Why a batch is refused: the version that its request names has none.
 * @param version the header `MCP-Protocol-Version`; a request without it is of 2025-03-26, which has batches (specification, "Transports")
 * @returns a message; undefined if the version has batches, or is no date, of which the protocol's handler says what is wrong
 */
export function batchProblem(version: string | null): string | undefined {
  if (version === null || !/^\d{4}-\d\d-\d\d$/.test(version) || version < WITHOUT_BATCHES) return undefined;
  return `Version ${version} of the protocol has no batches: send each message in a request of its own`;
}

/** Whether each message of a batch can be answered on its own. Of another batch the protocol's handler says what is wrong. */
export function isServedBatch(message: unknown): message is readonly unknown[] {
  return (
    Array.isArray(message) &&
    message.length <= MCP_DEFAULTS.batchMessages &&
    classifyInboundRequest({ httpMethod: "POST", body: message }).kind === "legacy" &&
    !message.some((each) => isInitializeRequest(each))
  );
}

/**
 * Answers the messages of a batch as requests of their own, so that each can be cancelled, in one stream that ends with the last of them. The
 * calls run at once. A first message that is refused for the headers, as each would be, refuses the batch.
 * @param answer answers a request of one message
 */
export async function answerBatch(
  messages: readonly unknown[],
  request: Request,
  answer: (request: Request, message: unknown) => Promise<Response>,
): Promise<Response> {
  const { url, method, signal } = request;
  const headers = new Headers(request.headers);
  headers.delete("content-length");
  const streams: Response[] = [];
  for (const message of messages) {
    const response = await answer(
      new Request(url, { method, headers, signal, body: JSON.stringify(message) }),
      message,
    );
    if (response.body === null) continue;
    if (!response.ok && streams.length === 0) return response;
    streams.push(response.ok ? response : await asEvent(response));
  }
  const [first] = streams;
  if (first === undefined) return new Response(null, { status: 202 });
  return new Response(joined(streams.map(({ body }) => body!)), { headers: first.headers });
}

/** An answer in JSON as an event of a stream. */
async function asEvent(response: Response): Promise<Response> {
  return new Response(`event: message\ndata: ${await response.text()}\n\n`);
}

/** One stream of the parts of several, as they come: each part is a whole event. */
function joined(bodies: readonly ReadableStream<Uint8Array>[]): ReadableStream<Uint8Array> {
  const readers = bodies.map((body) => body.getReader());
  let wanted = true;
  return new ReadableStream({
    start: (controller) => {
      const pass = async (reader: (typeof readers)[number]) => {
        for (let part = await reader.read(); !part.done && wanted; part = await reader.read())
          controller.enqueue(part.value);
      };
      Promise.all(readers.map(pass)).then(
        () => wanted && controller.close(),
        (error: unknown) => controller.error(error),
      );
    },
    cancel: async (reason) => {
      wanted = false;
      await Promise.all(readers.map((reader) => reader.cancel(reason)));
    },
  });
}
