import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:net";

/** First port that may be given. */
const FIRST_PORT = 10_000;
/** Where Linux says which ports outgoing connections and `listen(0)` get. */
const RANGE_FILE = "/proc/sys/net/ipv4/ip_local_port_range";
/** The first of those, where the file is not. */
const USUAL_RANGE = "32768";

/**
 * Ports of this machine for programs that are told on which to listen, all different: below those that the system gives to outgoing
 * connections and to listeners without a port. Any of these may be taken after it was free here and before the program listens, or
 * while a server is stopped, and the program then ends because its port is taken.
 * @param {number} count
 * @returns {Promise<number[]>}
 */
export async function freePorts(count) {
  const range = existsSync(RANGE_FILE) ? readFileSync(RANGE_FILE, "utf8") : USUAL_RANGE;
  const end = Math.max(FIRST_PORT + 1000, Number.parseInt(range, 10));
  /** @type {number[]} */
  const ports = [];
  while (ports.length < count) {
    const port = FIRST_PORT + Math.floor(Math.random() * (end - FIRST_PORT));
    if (!ports.includes(port) && (await isFree(port))) ports.push(port);
  }
  return ports;
}

/**
 * @param {number} port
 * @returns {Promise<boolean>}
 */
function isFree(port) {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
