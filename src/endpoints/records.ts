import { LESS_IS_BETTER, RecordSort, RecordsOptions } from "../contract/service/operations.js";
import { windowOf } from "../contract/service/shared-params.js";
import type { StoredRecord } from "../contract/service/unified-record.js";
import { type CommonParams, type GenericParams, pageOfParams } from "./generic-params.js";
import type { Handler, HandlerContext } from "./handler.js";
import { headerText } from "./header-text.js";
import { pageResult } from "./page.js";
import { recordAnswer } from "./record-answer.js";

/** Most records found by words; further ones are not counted in `total`, and a header says so. */
const MAX_FOUND = 1000;
const MORE =
  "only the best 1,000 records that the words find are listed and counted: further words, lang, from or to find others";

/**
 * Lists a platform's unified records: by the words of `q`, best match first, or else by a number, best first (lowest
 * price, deepest drop, best sales rank). `from` and `to` bound the capture.
 */
export const records: Handler<GenericParams> = async (params, context) => {
  const { corpus, endpoint } = context;
  const common = params as CommonParams;
  const { offset, limit } = pageOfParams(common);
  const filter = {
    platforms: [endpoint.platform!],
    langs: common.lang === undefined ? undefined : [common.lang],
    ...windowOf(common),
  };
  const orderBy = RecordSort.parse(common.sort ?? RecordsOptions.parse(endpoint.options).sort);
  const {
    records: page,
    total,
    notes = [],
  }: Found = common.q === undefined
    ? await corpus.listRecords({
        ...filter,
        orderBy,
        descending: !LESS_IS_BETTER.has(orderBy),
        offset,
        limit,
      })
    : await found(common.q, filter, { offset, limit }, context);
  const result = pageResult(
    {
      items: page.map((record) => recordAnswer(record, endpoint)),
      origins: page.map(originOf),
      offset,
      total,
    },
    context,
  );
  return notes.length === 0
    ? result
    : { ...result, headers: { ...result.headers, "X-Mirrorlake-Note": notes.join("; ") } };
};

/** Returns the origin of a record, for a page's provenance. */
export function originOf(record: StoredRecord): { captured_at: string; data: { prov: { source?: string } } } {
  const { source } = record.prov;
  return { captured_at: record.prov.ts, data: { prov: { source } } };
}

interface Found {
  readonly records: readonly StoredRecord[];
  readonly total: number;
  /** What a caller should know of how they were found. */
  readonly notes?: readonly string[];
}

async function found(
  query: string,
  filter: Parameters<HandlerContext["corpus"]["match"]>[0],
  { offset, limit }: { offset: number; limit: number },
  { corpus, index, signal }: HandlerContext,
): Promise<Found> {
  const candidates = corpus.match(filter);
  if (candidates.count === 0) return { records: [], total: 0 };
  const { rows, note } = await index.rank(query, candidates, {
    limit: MAX_FOUND + 1,
    mode: "keyword",
    signal,
  });
  const listed = rows.slice(0, MAX_FOUND);
  return {
    records: await corpus.records(listed.slice(offset, offset + limit)),
    total: listed.length,
    notes: [...(note === undefined ? [] : [headerText(note)]), ...(rows.length > MAX_FOUND ? [MORE] : [])],
  };
}
