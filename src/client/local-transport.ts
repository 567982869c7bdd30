import type { Service } from "../service/pipeline.js";
import type { Transport } from "./client.js";

/** Creates a transport that calls the service in process, with values instead of JSON text. */
export function createLocalTransport(
  service: Service,
  apiKey: string,
  maxFreshness?: "unlimited",
): Transport {
  return {
    send: ({ method, path }, params, { signal, textual = false, omit, fields }) =>
      service.call({
        method,
        path,
        apiKey,
        ...(method === "GET" ? { query: params, textual } : { body: params }),
        signal,
        selection: { omit, fields },
        maxFreshness,
      }),
  };
}
