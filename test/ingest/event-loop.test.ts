import { describe, expect, it } from "vitest";
import { convertRows } from "../../src/ingest/adapters/convert-rows.js";
import { foldGroups } from "../../src/ingest/adapters/fold-groups.js";
import { INGEST_LIMITS } from "../../src/ingest/defaults.js";
import { compileMapping } from "../../src/ingest/mapping/compile.js";
import { ExternalSort } from "../../src/ingest/mapping/external-sort.js";
import { readJsonl } from "../../src/ingest/readers/read-jsonl.js";
import type { SourceRow } from "../../src/ingest/readers/source-row.js";
import { turnsDuring } from "../support/turns-during.js";

/** More time than rows may take in one turn of the event loop. */
const LONG_MS = 15;
const ROWS = 8;

function takeLong(): void {
  const end = performance.now() + LONG_MS;
  while (performance.now() < end);
}

/** A batch of rows, each of which takes long to be read. */
async function* slowRows(): AsyncGenerator<readonly SourceRow[]> {
  yield Array.from({ length: ROWS }, (_, i) => ({
    source: "rows",
    file: "a.jsonl",
    line: i + 1,
    value: {
      id: String(i),
      get text() {
        takeLong();
        return "The bridge is open";
      },
    },
  }));
}

const mapping = (rule: object) =>
  compileMapping({
    mapping: 1,
    name: "slow",
    info: { title: "Slow", licence: "CC0-1.0" },
    sources: [{ name: "rows", files: ["*"] }],
    defaults: { platform: "forum", captured_at: { value: "2026-05-27T08:00:00Z" } },
    rules: [{ from: "rows", ...rule }],
  });

const context = { authorSalt: "0".repeat(32), tempDirectory: "" };

async function drain(batches: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of batches);
}

describe("the event loop turns between rows of a batch that take long", () => {
  it("of a mapping", async () => {
    const adapter = mapping({ record: { id: "id", fields: { text: "text" } } });
    expect(
      (await turnsDuring(() => drain(adapter.convert(slowRows(), context)))).turns,
    ).toBeGreaterThanOrEqual(ROWS);
  });

  it("of a row that has many elements", async () => {
    const elements = Array.from({ length: ROWS }, (_, i) => ({
      id: String(i),
      get text() {
        takeLong();
        return "The bridge is open";
      },
    }));
    async function* rows(): AsyncGenerator<readonly SourceRow[]> {
      yield [{ source: "rows", file: "a.jsonl", line: 1, value: { id: "a", elements } }];
    }
    const raw = [{ resource: "note", each: "elements", id: "id", data: { text: "text" } }];
    const adapter = mapping({ raw });
    expect((await turnsDuring(() => drain(adapter.convert(rows(), context)))).turns).toBeGreaterThanOrEqual(
      ROWS - 1,
    );
  });

  it("of a long line of JSON, between what is done with it", async () => {
    async function* chunks() {
      yield Buffer.from(`${JSON.stringify({ text: "The bridge is open. ".repeat(60_000) })}\n`);
    }
    const context = { source: "rows", file: "a.jsonl", limits: INGEST_LIMITS };
    expect((await turnsDuring(() => drain(readJsonl(chunks(), context)))).turns).toBeGreaterThanOrEqual(2);
  });

  it("of an adapter in code", async () => {
    const rows = convertRows(slowRows(), () => {
      takeLong();
      return [];
    });
    expect((await turnsDuring(() => drain(rows))).turns).toBeGreaterThanOrEqual(ROWS);
  });

  it("of groups", async () => {
    const sort = new ExternalSort<number>({ tempDirectory: "" });
    for (let i = 0; i < ROWS; i++) void sort.add(String(i), i);
    const groups = foldGroups(sort, () => ({
      add: takeLong,
      finish: () => [],
      origin: undefined,
      rows: 1,
    }));
    expect((await turnsDuring(() => drain(groups))).turns).toBeGreaterThanOrEqual(ROWS);
  });
});
