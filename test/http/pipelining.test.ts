import { once } from "node:events";
import { readdir, readlink } from "node:fs/promises";
import { connect as connectSocket, type Socket } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sliceFiles } from "../../src/client/files/slice-files.js";
import { type LakeClient, openLake } from "../../src/client/open-lake.js";
import { type RunningServer, startServer } from "../../src/http/server.js";
import { installSlices } from "../../src/lake/install/install-slices.js";
import { echoService } from "../service/echo-service.js";
import { type SmallSet, smallSet } from "../transfer/small-set.js";

const CONNECTIONS = 40;
const REQUESTS = 300;

let set: SmallSet;
let lake: LakeClient;
let server: RunningServer;
let file: string;
beforeAll(async () => {
  set = await smallSet(0, 400);
  const path = join(set.dir, "lake");
  await installSlices([set.slices], { lake: path });
  lake = await openLake(path);
  server = await startServer(lake.service, { files: sliceFiles(lake) });
  const files = set.manifests.flatMap(({ resources, mirrorlake: { root } }) =>
    resources.map(({ path: name, bytes }) => ({ path: `/datasets/${root}/${name}`, bytes })),
  );
  file = files.toSorted((a, b) => b.bytes - a.bytes)[0]!.path;
});
afterAll(async () => {
  await server?.close(0);
  await lake?.close();
  await set?.remove();
});

const head = (line: string, key: string, more: readonly string[] = []) =>
  [`${line} HTTP/1.1`, "Host: localhost", `x-api-key: ${key}`, ...more, "", ""].join("\r\n");

function open({ port }: RunningServer): Socket {
  const socket = connectSocket(port, "127.0.0.1");
  socket.on("error", () => socket.destroy());
  return socket;
}

/** How many files of slices this process has open. */
async function openSlices(): Promise<number> {
  const targets = await Promise.all(
    (await readdir("/proc/self/fd")).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => "")),
  );
  return targets.filter((target) => target.includes("/lake/slices/")).length;
}

/** Waits until something holds: a test's time-out says when it never does. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await nextTurn();
}

test.runIf(process.platform === "linux")(
  "unread pipelined downloads hold one file a connection, and none once the clients are gone",
  { tags: "slow" },
  async () => {
    const before = await openSlices();
    const rss = process.memoryUsage.rss();
    const sockets = Array.from({ length: CONNECTIONS }, () => open(server));
    const batch = head(`GET ${file}`, lake.apiKey).repeat(REQUESTS);
    for (const socket of sockets) socket.write(batch);
    // Each connection's first answer begins.
    await Promise.all(sockets.map((socket) => once(socket, "readable")));
    for (let i = 0; i < 50; i++) {
      expect(await openSlices()).toBeLessThanOrEqual(before + CONNECTIONS);
      await nextTurn();
    }
    expect((process.memoryUsage.rss() - rss) / 2 ** 20).toBeLessThan(200);
    for (const socket of sockets) socket.destroy();
    await until(async () => (await openSlices()) === before);
  },
);

test("pipelined requests are answered in order, whatever their kind and size", async () => {
  const slow: (() => void)[] = [];
  const echo = echoService((say) =>
    say === "slow" ? new Promise((resolve) => slow.push(() => resolve("slow"))) : say,
  );
  const other = await startServer(echo.service);
  try {
    const says = ["slow", ...Array.from({ length: 60 }, (_, i) => (i % 7 === 3 ? "x".repeat(60_000) : i))];
    const socket = open(other);
    for (const [i, say] of says.entries()) {
      const body = JSON.stringify({ say });
      const last = i === says.length - 1 ? ["Connection: close"] : [];
      const length = `Content-Length: ${Buffer.byteLength(body)}`;
      socket.write(`${head("POST /v1/echo", echo.apiKey, [length, ...last])}${body}`);
    }
    const answers = text(socket);
    await until(async () => slow.length === 1);
    slow[0]!();
    const got = [...(await answers).matchAll(/"data":("[^"]*"|\d+),/g)].map(([, data]) => JSON.parse(data!));
    expect(got).toEqual(says);
  } finally {
    await other.close(0);
  }
});

test("of pipelined calls only those that can be answered are made and charged", async () => {
  const made: unknown[] = [];
  let answer = () => {};
  const echo = echoService((say) => {
    made.push(say);
    return new Promise((resolve) => {
      answer = () => resolve(say);
    });
  });
  const other = await startServer(echo.service);
  try {
    const ask = (say: string) => head(`GET /v1/ask?say=${say}`, echo.apiKey);
    const refused = open(other);
    refused.write(ask("x").replace("localhost", "elsewhere.example") + ask("late").repeat(20));
    expect((await text(refused)).match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 421"]);
    expect(made).toEqual([]);

    const vanishing = open(other);
    vanishing.write(ask("first") + ask("never").repeat(50));
    await until(async () => made.length === 1);
    vanishing.destroy();
    answer();
    // Its connection may still take the first answer; then one more call is made, and finds that nobody is there.
    answer = () => {};
    let closed = false;
    const closing = other.close().then(() => {
      closed = true;
    });
    await until(async () => {
      answer();
      return closed;
    });
    await closing;
    expect(made.length).toBeLessThanOrEqual(2);
  } finally {
    await other.close(0);
  }
});
