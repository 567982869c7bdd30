import fc from "fast-check";
import { expect, it } from "vitest";
import { Database } from "../../src/duckdb/database.js";
import { RAW_COLUMNS } from "../../src/slice/raw-columns.js";
import { lineOf, lineOfParts, lineParts } from "../../src/store/generation/content-lines.js";
import { ANY_CHARACTER } from "../support/any-character.js";

const COLUMNS = RAW_COLUMNS.map(({ name, type }) => ({ name, type }));

const TEXT = fc.oneof(
  fc.array(ANY_CHARACTER).map((all) => all.join("")),
  fc.json(),
);
const VALUES = {
  VARCHAR: fc.option(TEXT),
  BIGINT: fc.option(fc.maxSafeInteger()),
  DOUBLE: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true })),
} as const;
const ROW = fc.tuple(
  ...COLUMNS.map(({ type }) => VALUES[type as keyof typeof VALUES] as fc.Arbitrary<string | number | null>),
);

it("the engine makes the lines of a corpus hash as JSON.stringify does, of any text and number", async () => {
  const db = await Database.open(":memory:");
  try {
    await db.run(
      `CREATE TABLE raw (n INTEGER, ${COLUMNS.map(({ name, type }) => `"${name}" ${type}`).join(", ")})`,
    );
    const controls = Array.from({ length: 0x180 }, (_, code) => String.fromCharCode(code)).join("");
    const odd = COLUMNS.map(({ type }) => (type === "VARCHAR" ? `${controls}\\u001F\\\\u001f\u2028` : 1e-7));
    const whole = odd.map((value) => (typeof value === "string" ? value : -0));
    const rows = [
      odd.map((value, i) => (COLUMNS[i]!.type === "BIGINT" ? 7 : value)),
      whole,
      ...fc.sample(ROW, 500),
    ];
    await db.append(
      "raw",
      rows.map((row, n) => [n, ...row]),
    );
    const parts = lineParts(COLUMNS);
    const made = await db.rows(`SELECT ${parts.join(", ")} FROM raw ORDER BY n`);
    const stored = await db.rows(
      `SELECT ${COLUMNS.map(({ name }) => `"${name}"`).join(", ")} FROM raw ORDER BY n`,
    );
    expect(made).toHaveLength(rows.length);
    for (const [i, row] of made.entries())
      expect(lineOfParts(row, parts.length)).toBe(lineOf(COLUMNS.map(({ name }) => stored[i]![name])));
    expect(parts.length).toBeLessThan(COLUMNS.length / 2);
  } finally {
    await db.close();
  }
});
