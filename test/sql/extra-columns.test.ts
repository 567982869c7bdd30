import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestLake } from "../../src/testing/create-test-lake.js";
import type { TestLake } from "../../src/testing/test-lake.js";

const RECORDS = 20_000;
let lake: TestLake;
beforeAll(async () => {
  lake = await createTestLake({
    records: Array.from({ length: RECORDS }, (_, i) => ({
      id: `soc_frm_${String(i).padStart(6, "0")}`,
      platform: "forum",
      lang: "en",
      text: "boots",
      extra: {
        [i % 2 === 0 ? "even" : "odd"]: `${i}`,
        ...(i < 50 ? { rare: "r" } : {}),
        Size: "L",
        size: 193,
      },
    })),
  });
});
afterAll(() => lake?.close());

test("a key of every other record is a column, whichever they are; a rare one is none", {
  tags: "slow",
}, async () => {
  expect(await lake.sql("SELECT count(extra_odd) AS odd, count(extra_even) AS even FROM records")).toEqual([
    { odd: RECORDS / 2, even: RECORDS / 2 },
  ]);
  await expect(lake.sql("SELECT extra_rare FROM records")).rejects.toMatchObject({ code: "sql_failed" });
});

test("keys that differ in case alone are no columns, so that neither answers for the other", {
  tags: "slow",
}, async () => {
  for (const name of ["extra_size", "extra_Size"])
    await expect(lake.sql(`SELECT ${name} FROM records`)).rejects.toMatchObject({ code: "sql_failed" });
  expect(
    await lake.sql(
      "SELECT extra_other->>'$.Size' AS letter, extra_other->>'$.size' AS number FROM records LIMIT 1",
    ),
  ).toEqual([{ letter: "L", number: "193" }]);
});
