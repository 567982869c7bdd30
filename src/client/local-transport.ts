import { ConnectionError } from "../contract/errors.js";
import { breakBody, type WireFault } from "../faults/wire-fault.js";
import type { Service, ServiceResponse } from "../service/pipeline.js";
import type { TransportResponse } from "./answer.js";
import type { Transport } from "./client.js";

/** Creates a transport that calls the service in process, with values instead of JSON text. */
export function createLocalTransport(
  service: Service,
  apiKey: string,
  maxFreshness?: "unlimited",
): Transport {
  return {
    send: async ({ method, path }, params, { signal, textual = false, omit, fields }) =>
      received(
        await service.call({
          method,
          path,
          apiKey,
          ...(method === "GET" ? { query: params, textual } : { body: params }),
          signal,
          selection: { omit, fields },
          maxFreshness,
        }),
      ),
  };
}

/** Whether a call in process failed by a fault of the connection, after which it may have been charged. */
export function isWireFailure(error: unknown): boolean {
  return error instanceof ConnectionError && error.code === "connection_failed";
}

/** The response as it arrives after a fault, if there is one: as over a network. @throws ConnectionError `connection_failed` */
function received(response: ServiceResponse): TransportResponse {
  const { wire, ...whole } = response;
  return wire === undefined ? response : { ...whole, body: broken(wire, response.body) };
}

function broken(wire: WireFault, body: ServiceResponse["body"]): string {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const { bytes, breaks } = breakBody(wire, Buffer.from(text));
  if (!breaks) return Buffer.from(bytes).toString();
  throw new ConnectionError("connection_failed", "No answer from the lake: the connection was dropped", {
    value: wire.kind,
    remedy: "A fault was asked for. The call may have been charged, so it is not retried automatically.",
  });
}
