import { performance } from "node:perf_hooks";
import { TextEncoder } from "node:util";
import { z } from "zod";
import { isNumberType } from "../../duckdb/results/number-type.js";
import type { ResultColumn, SqlRow, StreamOptions } from "../../lake/query/lake-sql.js";
import { type ResultFormat, resultText } from "../../lake/query/result-text.js";
import { SQL_VIEWS } from "../../sql/views.js";
import { ConsoleError } from "../console-error.js";
import { CONSOLE_DEFAULTS } from "../defaults.js";
import { route } from "../route.js";
import { numberParam } from "../shared-params.js";
import type { SqlAnswer, SqlPageAnswer, SqlRowAnswer, ViewAnswer } from "../sql-answers.js";
import { pageOf, shortCell } from "../sql-results.js";

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
    const limits = { signal, timeoutMs: CONSOLE_DEFAULTS.sqlTimeoutMs };
    const result = await results.collect(text, (options) =>
      lake.sqlStream(text, [], { ...limits, ...options }),
    );
    const ms = Math.round(performance.now() - started);
    const { id, columns, rows, cut } = result;
    const page = pageOf(result, 0, PAGE_ROWS);
    return {
      id,
      columns: columns.map(({ name }) => name),
      numeric: columns.map(({ type }) => isNumberType(type)),
      rows: rows.length,
      cut,
      ms,
      page,
    };
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

/** A row of a result that is kept, with its texts whole. */
export const sqlRowRoute = route({
  method: "GET",
  path: "sql/row",
  params: z.strictObject({
    id: numberParam(1, Number.MAX_SAFE_INTEGER),
    row: numberParam(0, CONSOLE_DEFAULTS.sqlRows),
  }),
  answer: async ({ id, row }, { results }): Promise<SqlRowAnswer> => {
    const { rows, cutCells } = results.get(id);
    const cells = rows[row];
    if (cells !== undefined) return { cells, cut: cutCells.get(row) ?? [] };
    throw new ConsoleError(404, "not_found", "The result has no such row");
  },
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
    return { step, rows: taken.map((row) => columns.map((column) => shortCell(row[column] ?? null))) };
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
    const limits = { signal, timeoutMs: CONSOLE_DEFAULTS.sqlTimeoutMs };
    const texts = textsOf(format, (options) => lake.sqlStream(text, [], { ...limits, ...options }));
    return new Response(await streamOf(texts), {
      headers: {
        "Content-Type": format === "csv" ? "text/csv; charset=utf-8" : "application/x-ndjson",
        "Content-Disposition": `attachment; filename="mirrorlake-query.${format}"`,
      },
    });
  },
});

/** The text of a result, a batch at a time. */
async function* textsOf(
  format: ResultFormat,
  stream: (options: StreamOptions) => AsyncIterable<readonly SqlRow[]>,
): AsyncGenerator<string> {
  let columns: readonly ResultColumn[] = [];
  // What is downloaded is opened in a spreadsheet.
  const text = resultText(format, () => columns, { escapeFormulas: true });
  const onColumns = (found: readonly ResultColumn[]) => {
    columns = found;
  };
  for await (const batch of stream({ onColumns })) yield batch.map((row) => text.row(row)).join("");
  yield text.end();
}

/** Texts as a body, made as they are read; they end when the reader goes away. @throws what the first of them throws */
async function streamOf(texts: AsyncGenerator<string>): Promise<ReadableStream<Uint8Array>> {
  const encoder = new TextEncoder();
  const first = await texts.next();
  return new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode(first.value || "")),
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
