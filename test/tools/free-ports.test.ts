import { once } from "node:events";
import { createServer } from "node:net";
import { expect, test } from "vitest";
import { freePorts } from "../../scripts/free-ports.js";

test("ports are different, free, and none that the system gives to others", async () => {
  const given = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const server = createServer().listen(0, "127.0.0.1");
      await once(server, "listening");
      return server;
    }),
  );
  const least = Math.min(...given.map((server) => (server.address() as { port: number }).port));
  await Promise.all(given.map(async (server) => void (await once(server.close(), "close"))));

  const ports = await freePorts(50);
  expect(new Set(ports).size).toBe(50);
  expect(Math.max(...ports)).toBeLessThan(least);
  const servers = ports.map((port) => createServer().listen(port, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  await Promise.all(servers.map((server) => once(server.close(), "close")));
});
