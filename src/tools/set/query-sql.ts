import { z } from "zod";
import { counted } from "../../contract/quantity.js";
import type { Draft, Row } from "../answer.js";
import { TOOL_DEFAULTS } from "../defaults.js";
import { parsePart, restAt } from "../part-path.js";
import { plainJson } from "../plain-json.js";
import { defineTool } from "../tool.js";
import { PartInput, SkipInput } from "./shared-input.js";

const { countedRows, maxRows, rows: defaultRows } = TOOL_DEFAULTS;

/** One read-only query over a lake, confined as `LakeQueries.sql` is. */
export const querySql = defineTool({
  name: "query_sql",
  title: "Query with SQL",
  description:
    "Count, group and join with one read-only SELECT in DuckDB's dialect over the views records, comments, videos, prices and slices; DESCRIBE FROM records shows columns. Values go in as params ($1). Use ORDER BY. Free.",
  input: z.strictObject({
    query: z.string(),
    params: z.array(z.union([z.string(), z.number(), z.boolean(), z.null()])).optional(),
    limit: z.int().min(1).max(maxRows).default(defaultRows),
    skip: SkipInput,
    part: PartInput,
  }),
  closed: true,
  available: (client) => client.sqlStream !== undefined,
  endpoints: () => [],
  run: async ({ skip = 0, part, limit, ...input }, { client, signal, report }) => {
    const args = { ...input, limit };
    const callOf = (at: object) => ({ tool: "query_sql", arguments: { ...args, ...at } as never });
    const place = part === undefined ? undefined : parsePart(part);
    const wanted = place === undefined ? limit : 1;
    const rows: Row[] = [];
    let read = 0;
    let more = 0;
    const draft = (): Draft => ({
      noun: "row",
      what: "",
      rows,
      part: place,
      further: place === undefined ? more : 0,
      furtherAtLeast: more >= countedRows,
      after: (shown) =>
        place === undefined && (shown < rows.length || more > 0) ? callOf({ skip: skip + shown }) : undefined,
    });
    /** Takes a row; false once no further one is needed. */
    const take = (found: unknown): boolean => {
      const at = read++;
      if (at < skip) return true;
      if (rows.length === wanted) return place === undefined && ++more < countedRows;
      const value = plainJson(found);
      const partCall = (of: string) => callOf({ skip: at, part: of });
      rows.push({ value: place === undefined ? value : restAt(value, place), cite: undefined, partCall });
      return true;
    };
    for await (const batch of client.sqlStream!(input.query, input.params ?? [], { signal })) {
      if (!batch.every(take)) break;
      report(read, `${counted(read, "row")} read`, draft());
    }
    return draft();
  },
});
