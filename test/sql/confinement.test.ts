import { type LakeClient, openLake } from "mirrorlake";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type TemporaryLake, temporarySampleLake } from "../support/sample-lake.js";
import { ESCAPES } from "./escapes.js";

let built: TemporaryLake;
let lake: LakeClient;
beforeAll(async () => {
  built = await temporarySampleLake();
  lake = await openLake(built.path, { account: "memory" });
});
afterAll(async () => {
  await lake?.close();
  await built?.remove();
});

describe("a query that is more than a query is refused", () => {
  test.each(ESCAPES.map(([sql, value]) => ({ sql, value })))("$sql", async ({ sql, value }) => {
    const refusal = await lake.sql(sql).then(
      (rows) => ({ code: "answered", rows }),
      (error: unknown) => error,
    );
    expect(refusal).toMatchObject({ name: "SqlError", code: "sql_refused", remedy: expect.any(String) });
    if (value !== undefined) expect((refusal as { value: unknown }).value).toBe(value);
  });
});
