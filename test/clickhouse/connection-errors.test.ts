import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { mayAnswerElsewhere } from "../../src/clickhouse/clickhouse-error.js";
import { Connection } from "../../src/clickhouse/connection.js";

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
});

/** What a connection makes of an answer of its only server. */
async function failureOf(status: number, body: string): Promise<unknown> {
  const server = createServer((request, response) => {
    request.resume().on("end", () => response.writeHead(status).end(body));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const connection = await Connection.open(`clickhouse://default@127.0.0.1:${port}/lake`);
  try {
    return await connection.rows("SELECT 1").catch((error: unknown) => error);
  } finally {
    await connection.close();
  }
}

describe("what a server of ClickHouse answers that fails", () => {
  it.each([
    [
      "below ClickHouse",
      "Poco::Exception. Code: 1000, e.code() = 28, No space left on device (version 26.7.1.1)",
    ],
    [
      "on the way to another server",
      "Code: 279. DB::NetException: All connection tries failed. (ALL_CONNECTION_TRIES_FAILED)",
    ],
  ])("%s is told as a failure of that server, and another one may answer", async (_, body) => {
    const error = await failureOf(500, body);
    expect(error).toMatchObject({ name: "LakeError", code: "cluster_failed", value: expect.any(String) });
    expect(mayAnswerElsewhere(error)).toBe(true);
  });

  it("in a query is told with its code, and no other server is asked", async () => {
    const error = await failureOf(400, "Code: 153. DB::Exception: Division by zero. (ILLEGAL_DIVISION)");
    expect(error).toMatchObject({
      code: "cluster_failed",
      message: expect.stringContaining("Division by zero"),
    });
    expect(mayAnswerElsewhere(error)).toBe(false);
  });
});
