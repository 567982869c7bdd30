import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { describe, expect, it } from "vitest";
import type { CliContext } from "../../src/cli/context.js";
import { embedderOf } from "../../src/cli/lake/embedder-option.js";

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
