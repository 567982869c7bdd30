import { writeSync } from "node:fs";
import { Socket } from "node:net";
import { loadDuckDb } from "../../duckdb/load-package.js";
import { FramePort } from "../../processes/frame-port.js";
import { NOT_WANTED, SelfWatch } from "../../processes/self-watch.js";
import { RowVectors, type VectorPlace } from "../../search/segment/row-vectors.js";
import type { QueryMessage } from "../../sql/query-messages.js";
import { QUERY_CHANNEL } from "../../sql/query-process.js";
import { QueryServer } from "../../sql/serve-queries.js";

/*
 * The process that runs queries, and an entry point of the package (`mirrorlake/sql`) for bundlers. The file's name says whose it is,
 * as it stands beside the files of others in a bundle.
 */
function serve(): void {
  const channel = new Socket({ fd: QUERY_CHANNEL, readable: true, writable: true });
  // Without its parent there is no one to answer; whatever runs must not go on.
  const end = (why: string) => {
    try {
      writeSync(process.stderr.fd, `${NOT_WANTED}: ${why}`);
    } finally {
      process.kill(process.pid, "SIGKILL");
    }
  };
  channel.on("error", ({ message }) => end(message));
  channel.on("close", () => end("its stream was closed"));
  const server = new QueryServer({
    reply: (reply) => port.send(reply),
    watch: new SelfWatch(),
    openVectors: (places) => RowVectors.open(places as readonly VectorPlace[]),
  });
  const port: FramePort = new FramePort(channel, (message) => server.take(message as QueryMessage));
  port.send({ kind: "ready" });
}

// Ctrl-C reaches the whole group of processes: the parent decides what becomes of its queries.
process.on("SIGINT", () => {});
// Before there is a query, and before its memory is counted. Where it cannot be loaded the first query says so.
void loadDuckDb().then(serve, serve);
