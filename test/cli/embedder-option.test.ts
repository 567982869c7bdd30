import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CliContext } from "../../src/cli/context.js";
import { embedderOf } from "../../src/cli/lake/embedder-option.js";
import { runCli } from "../../src/cli/program.js";
import { connect } from "../../src/client/connect.js";
import type { JobAnswer } from "../../src/console/answers.js";
import { type SmallSet, smallSet } from "../transfer/small-set.js";
import { capture } from "./capture.js";

const context = (env: Record<string, string> = {}) => ({ cwd: tmpdir(), env }) as unknown as CliContext;

describe("--embedder", () => {
  it("is the lake's own where it is not given", async () => {
    expect(await embedderOf({}, context())).toBeUndefined();
  });

  it("names a model of a server, its address and what it makes", async () => {
    let authorization: string | undefined;
    const server = createServer((request, response) => {
      authorization = request.headers.authorization;
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ data: [{ index: 0, embedding: [3, 4] }] }));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    try {
      const spec = `openai:tiny?url=${encodeURIComponent(url)}&dimensions=2&id=mine`;
      const embedder = await embedderOf({ embedder: spec }, context({ OPENAI_API_KEY: "sk-test" }));
      expect(embedder).toMatchObject({ id: "mine", dims: 2 });
      expect(await embedder!.embedQuery("x")).toEqual(Float32Array.of(0.6, 0.8));
      expect(authorization).toBe("Bearer sk-test");
      const other = await embedderOf(
        { embedder: "openai:tiny?dimensions=2" },
        context({ OPENAI_BASE_URL: url }),
      );
      await other!.embedQuery("x");
      expect(authorization).toBeUndefined();
    } finally {
      server.close();
    }
  });

  it("refuses what is none, with what can be written", async () => {
    for (const embedder of [
      "gpt",
      "openai:",
      "openai:m?key=1",
      "transformers:dir?url=http://x",
      "transformers:dir?pooling=max",
    ]) {
      await expect(embedderOf({ embedder }, context())).rejects.toMatchObject({
        code: "embedder_spec",
        value: embedder,
        remedy: expect.stringContaining("openai:<model>"),
      });
    }
    for (const embedder of ["openai:", "transformers:?dtype=q8"])
      await expect(embedderOf({ embedder }, context())).rejects.toThrow("it names no model");
    await expect(embedderOf({ embedder: "openai:m?dimensions=0" }, context())).rejects.toMatchObject({
      code: "embedder_invalid",
    });
    await expect(embedderOf({ embedder: "transformers:absent" }, context())).rejects.toMatchObject({
      code: "embedder_unavailable",
      message: expect.stringContaining("absent"),
    });
  });
});

describe("a lake with vectors of another embedder", () => {
  let dir: string;
  let server: Server;
  let first: SmallSet;
  let more: SmallSet;
  let embedder: readonly string[];
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), "mirrorlake-embedder-"));
    server = createServer(async (request, response) => {
      let body = "";
      for await (const chunk of request) body += String(chunk);
      const { input } = JSON.parse(body) as { input: string[] };
      const data = input.map((text, index) => ({ index, embedding: [text.length, 1] }));
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ data }));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    embedder = ["--embedder", `openai:lengths?url=${encodeURIComponent(url)}&dimensions=2`];
    [first, more] = await Promise.all([smallSet(0, 60), smallSet(60, 90)]);
  });
  afterAll(async () => {
    server?.close();
    await Promise.all([dir && rm(dir, { recursive: true }), first?.remove(), more?.remove()]);
  });

  /** Runs a command in the folder, which may not fail. @returns what it printed */
  async function run(...args: readonly string[]) {
    const { code, out, err } = await capture(args, { cwd: dir });
    expect([code, err]).toEqual([0, expect.not.stringContaining("Error")]);
    return out;
  }

  /** What a search of a lake says of the vectors that ranked. */
  const ranking = async (lake: string) =>
    run("search", "phone", "--lake", lake, "--freshness", "90d", "--limit", "1", ...embedder);

  it("is pulled into, compacted and pinned with the same option", async () => {
    await run("install", first.slices, "--lake", "lake", ...embedder);
    /** Runs a command on that lake, which needs the embedder. */
    const write = async (...args: readonly string[]) => {
      const { code, err } = await capture([...args, "--lake", "lake"], { cwd: dir });
      expect([code, err]).toEqual([1, expect.stringContaining("give the embedder lengths (--embedder")]);
      return run(...args, "--lake", "lake", ...embedder);
    };
    await write("pull", more.out, "--no-lock");
    await run("remove", "--id", "soc_mbl_0", "--reason", "asked", "--lake", "lake");
    expect(await write("compact")).toContain("are deleted\n");
    expect(await write("retain", "--older-than", "20d")).toContain(" revised\n");
    expect(await ranking("lake")).toContain("vectors: lengths\n");

    await run("pull", first.out, "--lake", "pinned", ...embedder);
    await run("sync", "--lake", "other", ...embedder);
    expect(await ranking("other")).toContain("vectors: lengths\n");
  });

  it("is served, searched by SQL and added to by the console with it", async () => {
    await run("install", first.slices, "--lake", "served", ...embedder);
    const query = "SELECT rank FROM search('phone', 3)";
    expect(JSON.parse(await run("sql", query, "--json", "--lake", "served", ...embedder))).toHaveLength(3);
    const stop = new AbortController();
    let said = (_text: string) => {};
    const line = new Promise<string>((resolve) => {
      said = resolve;
    });
    const stream = { write: (text: string) => said(text), isTty: false, columns: 100, color: false };
    const ended = runCli(["serve", "--lake", "served", "--port", "0", "--json", ...embedder], {
      out: stream,
      err: stream,
      env: {},
      cwd: dir,
      signal: stop.signal,
    });
    try {
      const facts = JSON.parse(await line) as { url: string; apiKey: string; console: string };
      const remote = connect({ baseUrl: facts.url, apiKey: facts.apiKey });
      const rankedBy = async () =>
        (await remote.search({ query: "phone", freshness: "90d" })).headers["x-mirrorlake-embedder"];
      expect(await rankedBy()).toBe("lengths");
      const headers = { "content-type": "application/json", origin: facts.url, cookie: "" };
      const post = (api: string, body: object) =>
        fetch(`${facts.url}/console/api/${api}`, { method: "POST", headers, body: JSON.stringify(body) });
      const opened = await post("session", { token: facts.console.split("#token=")[1] });
      headers.cookie = opened.headers.get("set-cookie")!.split(";")[0]!;
      await post("jobs/start", { kind: "install", source: more.slices });
      const job = async () =>
        (await (await fetch(`${facts.url}/console/api/job?id=1`, { headers })).json()) as JobAnswer;
      await expect.poll(async () => (await job()).state, { timeout: 60_000 }).not.toBe("running");
      expect(await job()).toMatchObject({ state: "done" });
      expect(await rankedBy()).toBe("lengths");
    } finally {
      stop.abort();
    }
    expect(await ended).toBe(0);
  });
});
