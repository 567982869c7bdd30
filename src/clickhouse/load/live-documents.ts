import { TextDecoder } from "node:util";
import type { StoredRecord } from "../../contract/service/unified-record.js";
import { LAKE_DEFAULTS } from "../../lake/defaults.js";
import { documentOf } from "../../lake/install/index-documents.js";
import type { DocumentSource, IndexDocument } from "../../search/document.js";
import { installsOf, loadList } from "../committed-loads.js";
import type { Connection } from "../connection.js";
import { CLICKHOUSE_DEFAULTS } from "../defaults.js";
import { hiddenRows } from "../query/hidden-rows.js";
import { Redactions } from "../query/redactions.js";
import { countingLoads } from "../superseded.js";
import type { RecordFacts } from "./record-rows.js";
import type { LoadChange } from "./replaced-rows.js";

/** What a lake has once a load is visible. */
export interface LiveContent {
  readonly records: number;
  readonly raw: number;
  /** Tells the texts of the records from those of others: equal only for the same rows, shown without the same quotes. */
  readonly content: string;
}

/** What is read of each live record beside its text: which row it is, and what filters ask of it. */
export interface LiveRows extends Omit<RecordFacts, "lengths"> {
  readonly loads: number[];
  readonly ordinals: number[];
}

/** A change of a lake as far as its live rows follow from it. */
export type LiveChange = Pick<LoadChange, "before" | "made">;

/** SQL of the rows that are live once a load is visible; what it hides is noted already. */
export function liveRows(kind: "records" | "raw", { before, made }: LiveChange): string {
  const installs = installsOf([...before, made]);
  const removing = before.filter(({ removes }) => removes);
  return `load IN (${loadList(countingLoads(installs))})
    AND (load, ordinal) GLOBAL NOT IN (${hiddenRows(kind, installs, { removing })})`;
}

/** Counts what is live once a load is visible. */
export async function liveContent(
  connection: Connection,
  change: LiveChange,
  signal?: AbortSignal,
): Promise<LiveContent> {
  const by = loadList([...change.before, change.made]);
  const rows = await connection.rows<[string, number, string]>(
    `SELECT 'records', count(), toString(sum(sipHash64(load, ordinal))) FROM records WHERE ${liveRows("records", change)}
      UNION ALL SELECT 'raw', count(), '' FROM raw WHERE ${liveRows("raw", change)}
      UNION ALL SELECT 'quotes', count(), toString(sum(sipHash64(load, ordinal, item))) FROM redactions
        WHERE kind = 'records' AND quotes = 1 AND by IN (${by})`,
    {},
    signal,
  );
  const of = new Map(rows.map(([what, count, digest]) => [what, { count, digest }]));
  const [records, raw, quotes] = [of.get("records")!, of.get("raw")!, of.get("quotes")!];
  return { records: records.count, raw: raw.count, content: `${records.digest}/${quotes.digest}` };
}

/**
 * Reads the live records as documents of the search index, by their ids, as a lake in a folder has them when it is rebuilt.
 * @param rows gets what else is known of each, in this order
 * @param more a further condition in SQL
 */
export function liveDocuments(
  connection: Connection,
  change: LiveChange,
  rows: LiveRows,
  { more = "1", signal }: { readonly more?: string; readonly signal?: AbortSignal | undefined } = {},
): DocumentSource {
  return async function* documents(): AsyncGenerator<IndexDocument[], void, void> {
    const sql = await documentsSql(connection, change, more);
    const settings = { max_bytes_before_external_sort: String(CLICKHOUSE_DEFAULTS.sortBytes) };
    let batch: IndexDocument[] = [];
    for await (const line of linesOf(connection.stream(sql, {}, { settings, signal }))) {
      const [load, ordinal, id, platform, domain, lang, capturedMs, language, record] = JSON.parse(line) as [
        number,
        number,
        string,
        string,
        string,
        string,
        number,
        string,
        string,
      ];
      rows.loads.push(load);
      rows.ordinals.push(ordinal);
      rows.ids.push(id);
      rows.platforms.push(platform);
      rows.domains.push(domain);
      rows.langs.push(lang);
      rows.capturedMs.push(capturedMs);
      rows.languages.push(language);
      batch.push(documentOf(JSON.parse(record) as StoredRecord));
      if (batch.length < LAKE_DEFAULTS.documentBatch) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  };
}

/** The records as they are shown: a text that was removed is quoted no more. */
async function documentsSql(connection: Connection, change: LiveChange, more: string): Promise<string> {
  const { before, made } = change;
  const removing = before.filter(({ removes }) => removes);
  const redactions = await Redactions.read(
    connection,
    installsOf([...before, made]),
    removing,
    CLICKHOUSE_DEFAULTS.schemaVersion,
  );
  const facts = "load, ordinal, id, platform, src, lang, captured_ms, language";
  const stored = `SELECT ${facts}, record FROM records WHERE ${liveRows("records", change)} AND ${more}`;
  if (!redactions.records) return `${stored} ORDER BY id FORMAT JSONCompactEachRow`;
  return `SELECT ${facts}, if(ifNull(text, '') = '', record, ifNull(text, '')) FROM (${stored}) AS stored
    GLOBAL ANY LEFT JOIN (${redactions.newest("records")}) AS redacted ON redacted.at_load = stored.load AND redacted.at_ordinal = stored.ordinal
    ORDER BY id FORMAT JSONCompactEachRow`;
}

async function* linesOf(pieces: AsyncIterable<Buffer>): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const piece of pieces) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split("\n");
    rest = lines.pop()!;
    yield* lines;
  }
  if (rest !== "") yield rest;
}
