import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { UsageError } from "../contract/errors.js";
import { SERVER_DEFAULTS } from "./defaults.js";

/** Where a server listens; loopback and any free port by default. */
export interface ListenOptions {
  readonly host?: string | undefined;
  readonly port?: number | undefined;
}

/** Address and base URL of a listening server. */
export interface Listening {
  readonly host: string;
  readonly port: number;
  /** Without trailing slash: `http://127.0.0.1:8080`. */
  readonly url: string;
}

/** Lets a server listen. @throws UsageError `port_in_use`, `cannot_listen` */
export async function listen(server: Server, options: ListenOptions): Promise<Listening> {
  const { address, port, family } = await listenOn(server, options);
  const host = family === "IPv6" ? `[${address}]` : address;
  return { url: `http://${isWildcard(address) ? "127.0.0.1" : host}:${port}`, host: address, port };
}

function listenOn(server: Server, options: ListenOptions): Promise<AddressInfo> {
  const host = options.host ?? SERVER_DEFAULTS.host;
  const port = options.port ?? SERVER_DEFAULTS.port;
  return new Promise((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => reject(cannotListen(host, port, cause)));
    server.listen({ host, port }, () => resolve(server.address() as AddressInfo));
  });
}

function cannotListen(host: string, port: number, cause: NodeJS.ErrnoException): UsageError {
  const where = `${host}:${port}`;
  return cause.code === "EADDRINUSE"
    ? new UsageError("port_in_use", `Something listens on ${where} already`, {
        value: port,
        remedy: "Choose another port; 0 takes any free one.",
        cause,
      })
    : new UsageError("cannot_listen", `Cannot listen on ${where}: ${cause.message}`, {
        value: where,
        remedy: "Give an address of this machine and a port that you may use.",
        cause,
      });
}

function isWildcard(address: string): boolean {
  return address === "0.0.0.0" || address === "::";
}
