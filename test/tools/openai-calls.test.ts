import { expect, test } from "vitest";
import { openaiTools } from "../../src/adapters/openai.js";
import { createTestLake } from "../../src/testing/create-test-lake.js";

test("a message without calls has none to run", async () => {
  await using lake = await createTestLake({});
  const { run } = openaiTools(lake);
  const message: { tool_calls?: { id: string; function: { name: string; arguments: string } }[] } = {};
  expect(await run(message.tool_calls)).toEqual([]);
  expect(await run(null)).toEqual([]);
  expect(await run([])).toEqual([]);
});
