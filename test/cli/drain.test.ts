import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect as connectSocket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openAccount } from "../../src/account/open-account.js";
import { SAMPLES } from "../../src/conformance/sample/sample-items.js";
import { copySampleLake } from "../support/sample-lake.js";
import { type ServedProcess, serveProcess } from "../support/served-process.js";

const started: ServedProcess[] = [];
let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-drain-"));
});
afterAll(async () => {
  for (const { child } of started) child.kill("SIGKILL");
  await rm(dir, { recursive: true, force: true });
});

/** A server of a lake of its own, on which looking up a work takes `ms`, or for ever. */
async function start(name: string, ms: number | "hang", args: readonly string[]) {
  const lake = await copySampleLake(join(dir, name));
  const fault = ms === "hang" ? { fault: "hang" } : { fault: "latency", ms };
  const faults = join(dir, `${name}.json`);
  await writeFile(faults, JSON.stringify([{ ...fault, endpoint: "raw.short-video.video" }]));
  const served = await serveProcess(["--lake", lake, "--faults", faults, "--refresh", "0", ...args]);
  started.push(served);
  const headers = { "x-api-key": served.apiKey };
  const slow = () => fetch(`${served.url}/v1/raw/short-video/video?item_id=${SAMPLES.itemId}`, { headers });
  const quick = () =>
    fetch(`${served.url}/v1/raw/short-video/comments?item_id=${SAMPLES.itemId}`, { headers });
  const underWay = async () => {
    while ((await served.metric("mirrorlake_calls_in_flight")) === 0) await wait(5);
  };
  const ready = async (base: string) => (await fetch(`${base}/readyz`)).status;
  return { ...served, lake, slow, quick, underWay, ready };
}

describe.concurrent("a server that is told to stop", () => {
  test("answers a request of the Model Context Protocol that has begun", { tags: "slow" }, async () => {
    const { child, url, apiKey, ended, slow, underWay, log, others } = await start("mcp", 1500, [
      "--drain-grace",
      "0",
      "--mcp",
    ]);
    const { hostname, port } = new URL(url);
    const call = { name: "get_item", arguments: { id: "soc_frm_none" } };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: call });
    const head = [
      "POST /mcp HTTP/1.1",
      `Host: ${hostname}`,
      `Authorization: Bearer ${apiKey}`,
      "Content-Type: application/json",
      "Accept: application/json, text/event-stream",
      `Content-Length: ${body.length}`,
    ];
    // What is no message has a line of the log, as all has that is written there.
    const refused = await fetch(`${url}/mcp`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${apiKey}`,
        "content-type": "application/json",
        accept: "application/json",
      },
      body: '{"jsonrpc":"1.0"}',
    });
    expect(refused.status).toBe(400);
    while (!log.some(({ event }) => event === "error")) await wait(5);
    expect(others).toEqual([]);
    const socket = connectSocket(Number(port), hostname);
    socket.write(head.join("\r\n")); // the end of the head comes later
    const before = slow();
    await underWay();
    child.kill("SIGTERM");
    const isOpen = () =>
      new Promise<boolean>((resolve) => {
        const probe = connectSocket(Number(port), hostname, () => resolve(true)).once("error", () =>
          resolve(false),
        );
        probe.once("connect", () => probe.destroy());
      });
    while (await isOpen()) await wait(5);
    socket.write(`\r\n\r\n${body}`);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 /);
    expect((await before).status).toBe(200);
    expect(await ended).toBe(0);
  });

  test("says so at once, takes calls for the grace, answers what is under way, settles it, and ends with 0", {
    tags: "slow",
  }, async () => {
    const { child, url, operations, ended, log, lake, slow, quick, underWay, ready } = await start(
      "whole",
      700,
      ["--drain-grace", "2"],
    );
    expect(await ready(operations)).toBe(200);
    const answer = slow();
    await underWay();
    child.kill("SIGTERM");
    while ((await ready(operations)) !== 503) await wait(5);
    expect(await ready(url)).toBe(503);
    const during = await quick();
    expect([during.status, during.headers.get("connection")]).toEqual([200, "close"]);
    const { status } = await answer;
    expect(status).toBe(200);
    expect(await ended).toBe(0);
    await expect(quick()).rejects.toThrow();
    expect(log.slice(-2)).toMatchObject([
      { event: "request" },
      { event: "stopped", clean: true, level: "info" },
    ]);
    const account = await openAccount(lake);
    const outcomes: unknown[] = [];
    for await (const { endpoint, outcome } of account.entries()) if (endpoint) outcomes.push(outcome);
    expect(outcomes.toSorted()).toEqual(["charged", "free_quota"]);
    await account.close();
  });

  test("refuses connections, cuts what is under way at the deadline, releases what it held, and ends with 0", {
    tags: "slow",
  }, async () => {
    const { child, url, ended, log, lake, slow, underWay } = await start("cut", "hang", [
      "--drain-deadline",
      "1",
    ]);
    const answer = slow().catch(() => "cut");
    await underWay();
    child.kill("SIGTERM");
    const answers = () =>
      fetch(`${url}/healthz`, { headers: { connection: "close" } }).then(
        () => true,
        () => false,
      );
    while (await answers()) await wait(5);
    expect(await answer).toBe("cut");
    expect(await ended).toBe(0);
    expect(log.slice(-2)).toMatchObject([
      { event: "request", code: "aborted", cut: true, charged_usd: "0.000000" },
      { event: "stopped", clean: true },
    ]);
    const account = await openAccount(lake);
    const outcomes: unknown[] = [];
    for await (const { endpoint, outcome } of account.entries()) if (endpoint) outcomes.push(outcome);
    expect(outcomes).toHaveLength(1);
    expect(outcomes[0]).toBe("error");
    await account.close();
  });

  test("ends at once when it is told again", { tags: "slow" }, async () => {
    const { child, ended, slow, underWay, ready, operations } = await start("twice", "hang", [
      "--drain-grace",
      "60",
    ]);
    const answer = slow().catch(() => "cut");
    await underWay();
    child.kill("SIGTERM");
    while ((await ready(operations)) !== 503) await wait(5);
    child.kill("SIGTERM");
    expect(await ended).toBe(143);
    expect(await answer).toBe("cut");
  });
});
