import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ClickHouseNode } from "./clickhouse-node.js";
import { Wire } from "./wire.js";

/** What a server sends first to another one: its name and version, a database, a user and no password. */
const GREETING = Buffer.from("\x00\x01x\x1a\x07\xd4\xa9\x03\x00\x07default\x00", "latin1");
const RESETS = 400;
/**
 * For how long ClickHouse waits to be greeted by a connection, and a little more. At the end its thread throws. A server logs that; `clickhouse
 * local`, as which nodes run, ends at any error that leaves a thread.
 */
const UNGREETED_MS = 31_000;

let node: ClickHouseNode;
beforeAll(async () => {
  [node] = (await ClickHouseNode.startCluster(1)) as [ClickHouseNode];
});
afterAll(() => node?.remove());

/** Connects, greets, and ends the connection as a process that is killed does. */
async function reset(port: number, waitMs: number): Promise<void> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  socket.write(GREETING);
  await sleep(waitMs);
  socket.resetAndDestroy();
}

describe("a node of the cluster tests", () => {
  test("lives on where those who ask it are killed", async () => {
    for (let i = 0; i < RESETS; i += 4)
      await Promise.all([0, 1, 2, 3].map((wait) => reset(node.tcpPort!, wait * (i % 3))));
    expect(await node.sql("SELECT 1")).toBe("1");
  });

  test("lives on where it was cut off in silence while another one greeted it", async () => {
    const wire = await Wire.to(node.tcpPort!);
    wire.hush();
    const other = connect(wire.port, "127.0.0.1");
    other.on("error", () => {}); // the wire is taken away
    await once(other, "connect");
    other.write(GREETING);
    await sleep(UNGREETED_MS);
    await wire.repair();
    // It greets back.
    await once(other, "data");
    wire.remove();
    expect(await node.sql("SELECT 1")).toBe("1");
  });

  test("stays the process that it is when it is started while it runs", async () => {
    const { pid } = node;
    await node.up();
    expect(node.pid).toBe(pid);
    expect(await node.sql("SELECT 1")).toBe("1");
  });

  test("waits until its port is free again", async () => {
    await node.kill();
    // As an outgoing connection of any program may: it has the port of its own side.
    const other = await ClickHouseNode.start();
    const taken = connect({ port: other.port, host: "127.0.0.1", localPort: node.port });
    await once(taken, "connect");
    const up = node.up();
    await sleep(500);
    taken.resetAndDestroy();
    await up;
    expect(await node.sql("SELECT 1")).toBe("1");
    await other.remove();
  });
});
