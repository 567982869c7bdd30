import { resolve } from "node:path";
import { expect, test } from "vitest";
import { capture } from "./capture.js";

const configOf = async (...args: string[]) => configIn({}, ...args);

const configIn = async (variables: Record<string, string>, ...args: string[]) => {
  const { code, out } = await capture(["mcp", "--print-config", ...args], { env: variables });
  expect(code).toBe(0);
  return JSON.parse(out).mcpServers.mirrorlake;
};

test("the configuration for a client names the account that was asked for, not where others read it", async () => {
  const account = "postgres://me:secret@db.example/lake";
  const { args, env } = await configOf("--lake", "/data/lake", "--account", account);
  expect(env).toEqual({ MIRRORLAKE_ACCOUNT: account });
  expect(args.join(" ")).not.toContain("secret");
  expect(await configOf("--lake", "/data/lake")).not.toHaveProperty("env");
  expect(await configOf("--url", "https://api.example.com")).toMatchObject({
    env: { MIRRORLAKE_API_KEY: "your key" },
  });
});

test("the configuration for a client has the address of a lake on ClickHouse, not where others read it", async () => {
  const lake = "clickhouse://me:secret@db.example:8123/lake";
  for (const config of [await configOf("--lake", lake), await configIn({ MIRRORLAKE_LAKE: lake })]) {
    expect(config.env).toEqual({ MIRRORLAKE_LAKE: lake });
    expect(config.args.slice(-1)).toEqual(["mcp"]);
  }
  expect(await configIn({ MIRRORLAKE_LAKE: lake }, "--url", "https://api.example.com")).not.toHaveProperty(
    "env.MIRRORLAKE_LAKE",
  );
});

test("the configuration for a client says which variables an embedder of a server needs, without its key", async () => {
  const variables = { OPENAI_API_KEY: "sk-secret", OPENAI_BASE_URL: "http://127.0.0.1:11434/v1" };
  const args = ["--lake", "/data/lake", "--embedder", "openai:nomic-embed-text"];
  expect((await configIn(variables, ...args)).env).toEqual({ ...variables, OPENAI_API_KEY: "your key" });
  expect(await configIn(variables, "--lake", "/data/lake")).not.toHaveProperty("env");
});

test("the configuration for a client names the embedder, with its folder from wherever the client starts", async () => {
  const embedderOf = async (spec: string) => {
    const { args } = await configOf("--lake", "/data/lake", "--embedder", spec);
    return args[args.indexOf("--embedder") + 1];
  };
  const openai = "openai:nomic-embed-text?url=http://127.0.0.1:11434/v1&dimensions=768";
  expect(await embedderOf(openai)).toBe(openai);
  expect(await embedderOf("transformers:models/e5?dtype=q8")).toBe(
    `transformers:${resolve("models/e5")}?dtype=q8`,
  );
});

test.each([
  ["--lake", "./lake"],
  ["--account", "postgres://db.example/lake"],
  ["--read-only"],
  ["--as-of", "system"],
  ["--embedder", "openai:nomic-embed-text"],
])("a remote service takes no option of a lake: %s", async (...args) => {
  const { code, err } = await capture(["mcp", "--url", "https://api.example.com", ...args]);
  expect([code, err]).toEqual([2, expect.stringMatching(/'--url <base>' cannot be used with option/)]);
});
