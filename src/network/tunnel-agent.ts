import { request } from "node:http";
import { Agent, type AgentOptions, type RequestOptions } from "node:https";
import type { Duplex } from "node:stream";
import { NETWORK_DEFAULTS } from "./defaults.js";
import type { HttpProxy } from "./proxy.js";

/** Connects over TLS by tunnels through a proxy (RFC 9110 section 9.3.6): it learns the host and the port, and nothing else. */
export class TunnelAgent extends Agent {
  constructor(
    private readonly proxy: HttpProxy,
    options: AgentOptions,
  ) {
    super(options);
  }

  override createConnection(
    options: RequestOptions,
    made: (error: Error | null, stream: Duplex) => void = () => undefined,
  ): undefined {
    const fail = made as (error: Error) => void;
    const { host, port } = options;
    const name = host?.includes(":") ? `[${host}]` : host;
    const at = `${name}:${port ?? 443}`;
    const { address, authorization } = this.proxy;
    const sent = request(address, {
      method: "CONNECT",
      path: at,
      headers:
        authorization === undefined ? { host: at } : { host: at, "proxy-authorization": authorization },
      agent: false,
    });
    const { connectMs } = NETWORK_DEFAULTS;
    sent.setTimeout(connectMs, () =>
      sent.destroy(
        Object.assign(new Error(`no connection within ${connectMs} ms`), { code: "ECONNTIMEOUT" }),
      ),
    );
    sent.once("error", fail);
    sent.once("connect", ({ statusCode = 0 }, socket, head) => {
      socket.setTimeout(0);
      if (statusCode < 200 || statusCode > 299) {
        socket.destroy();
        fail(new Error(`it answered ${statusCode} when it was asked for a connection`));
        return;
      }
      socket.unshift(head);
      const over = { ...options, socket };
      made(null, super.createConnection(over) as Duplex);
    });
    sent.end();
  }
}
