import { z } from "zod";
import { SQL_VIEWS } from "../../sql/views.js";
import type { SqlAnswer, SqlPageAnswer, ViewAnswer } from "../answers.js";
import { CONSOLE_DEFAULTS } from "../defaults.js";
import { route } from "../route.js";
import { numberParam } from "../shared-params.js";
import { cellOf, pageOf } from "../sql-results.js";

const PAGE = { offset: numberParam(0, 10_000_000).default(0), limit: numberParam(1, 500).default(200) };

/** The views that queries may read, for completion. */
export const viewsRoute = route({
  method: "GET",
  path: "sql/views",
  params: z.strictObject({}),
  answer: async (): Promise<readonly ViewAnswer[]> =>
    SQL_VIEWS.map(({ name, meaning, columns }) => ({
      name,
      meaning,
      columns: columns.map((column) => ({ name: column.name, type: column.type, meaning: column.meaning })),
    })),
});

/** Runs a query and keeps its result for its pages. It is confined as every query of a user is. */
export const sqlRoute = route({
  method: "POST",
  path: "sql",
  params: z.strictObject({ text: z.string().trim().min(1).max(100_000) }),
  answer: async ({ text }, { lake, results, signal }): Promise<SqlAnswer> => {
    const started = performance.now();
    const batches = lake.sqlStream(text, [], { signal, timeoutMs: CONSOLE_DEFAULTS.sqlTimeoutMs });
    const result = await results.collect(text, batches);
    const ms = Math.round(performance.now() - started);
    const { id, columns, rows, cut } = result;
    return { id, columns, rows: rows.length, cut, ms, page: pageOf(result, 0, PAGE_ROWS) };
  },
});

const PAGE_ROWS = 200;

/** A page of a result that is kept. */
export const sqlPageRoute = route({
  method: "GET",
  path: "sql/page",
  params: z.strictObject({ id: numberParam(1, Number.MAX_SAFE_INTEGER), ...PAGE }),
  answer: async ({ id, offset, limit }, { results }): Promise<SqlPageAnswer> =>
    pageOf(results.get(id), offset, limit),
});

/** Two columns of a result for a chart, thinned evenly. */
export const sqlColumnsRoute = route({
  method: "GET",
  path: "sql/columns",
  params: z.strictObject({
    id: numberParam(1, Number.MAX_SAFE_INTEGER),
    columns: z.string().transform((text) => text.split(",").map(Number)),
    most: numberParam(1, 10_000).default(5_000),
  }),
  answer: async ({ id, columns, most }, { results }) => {
    const { rows } = results.get(id);
    const step = Math.max(1, Math.ceil(rows.length / most));
    const taken = step === 1 ? rows : rows.filter((_, at) => at % step === 0);
    return { step, rows: taken.map((row) => columns.map((column) => row[column] ?? null)) };
  },
});

/** The whole result of a query as a file, run again and streamed. */
export const sqlFileRoute = route({
  method: "GET",
  path: "sql/file",
  params: z.strictObject({
    id: numberParam(1, Number.MAX_SAFE_INTEGER),
    format: z.enum(["csv", "jsonl"]),
  }),
  answer: async ({ id, format }, { lake, results, signal }): Promise<Response> => {
    const { text } = results.get(id);
    const batches = lake.sqlStream(text, [], { signal, timeoutMs: CONSOLE_DEFAULTS.sqlTimeoutMs });
    const lines = format === "csv" ? csvOf(batches) : jsonLinesOf(batches);
    return new Response(streamOf(lines), {
      headers: {
        "Content-Type": format === "csv" ? "text/csv; charset=utf-8" : "application/x-ndjson",
        "Content-Disposition": `attachment; filename="mirrorlake-query.${format}"`,
      },
    });
  },
});

type Batches = AsyncIterable<readonly object[]>;

/** No text of a file is cut. */
const WHOLE = Number.POSITIVE_INFINITY;

async function* csvOf(batches: Batches): AsyncGenerator<string> {
  let columns: readonly string[] | undefined;
  for await (const batch of batches) {
    let text = "";
    for (const row of batch) {
      if (columns === undefined) {
        columns = Object.keys(row);
        text += `${columns.map(csvCell).join(",")}\r\n`;
      }
      const cells = columns.map((name) => csvCell(cellOf((row as Record<string, unknown>)[name], WHOLE)));
      text += `${cells.join(",")}\r\n`;
    }
    yield text;
  }
}

function csvCell(value: unknown): string {
  const text = value === null || value === undefined ? "" : String(value);
  // A spreadsheet would take these for formulas.
  const safe = typeof value === "string" && /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

async function* jsonLinesOf(batches: Batches): AsyncGenerator<string> {
  for await (const batch of batches) {
    yield batch
      .map((row) => {
        const cells = Object.entries(row).map(([name, cell]) => [name, cellOf(cell, WHOLE)]);
        return `${JSON.stringify(Object.fromEntries(cells))}\n`;
      })
      .join("");
  }
}

/** Texts as a body, made as they are read; they end when the reader goes away. */
function streamOf(texts: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const { value, done } = await texts.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    cancel: async () => {
      await texts.return(undefined);
    },
  });
}
