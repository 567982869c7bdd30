// Leaves the result of a query early, and ends its process when that has already answered that it stopped.
import { spawn } from "node:child_process";
import { Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { built } from "../../scripts/built.js";

const { FramePort } = /** @type {typeof import("../../src/processes/frame-port.js")} */ (
  await built("processes/frame-port.js")
);
const { QUERY_CHANNEL, QueryProcess } = /** @type {typeof import("../../src/sql/query-process.js")} */ (
  await built("sql/query-process.js")
);

if (process.argv[2] === "serve") serve();
else await leave();

/** Answers a query with a batch, and its end when nobody wants more. */
function serve() {
  const port = new FramePort(new Socket({ fd: QUERY_CHANNEL }), (message) => {
    const { kind } = /** @type {{ kind: string }} */ (message);
    if (kind === "query") port.send({ kind: "batch", batch: [[1]] });
    if (kind === "cancel") port.send({ kind: "end", failure: undefined, isOpen: true, heldBytes: 0 });
  });
}

async function leave() {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), "serve"], {
    stdio: ["ignore", "ignore", "pipe", "pipe"],
  });
  const queries = new QueryProcess(child, () => {});
  const input = { rows: async function* () {}, find: async () => ({ rows: [], scores: [] }) };
  const query = {
    kind: /** @type {const} */ ("query"),
    query: { text: "SELECT 1", params: [] },
    byColumn: false,
    session: undefined,
    memoryBytes: 100_000_000,
    endAfterMs: 60_000,
  };
  const batches = queries.query(query, input, new AbortController().signal);
  await batches.next();
  await batches.return();
  // Nothing is read meanwhile: the answer waits until the process has been told to end.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  await queries.end();
  console.log("ended");
}
