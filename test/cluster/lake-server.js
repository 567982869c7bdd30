// A server of a lake in a process of its own, which answers SQL too: node lake-server.js <address of the lake> <address of the account>
// It serves HTTP, and runs each query that its parent sends on the lake that it serves: { id, text } is answered by { id, rows }
// or { id, error }.
import { openLake, startServer } from "../../dist/lazy-index.js";

const [address, account] = process.argv.slice(2);
const client = await openLake(address, { account, limits: "off", onError: console.error });
const server = await startServer(client.service);
process.on("message", async ({ id, text }) => {
  const answer = await client.sql(text).then(
    (rows) => ({ rows }),
    (error) => ({ error: error.code ?? String(error) }),
  );
  process.send({ id, ...answer });
});
process.send({ url: server.url });
