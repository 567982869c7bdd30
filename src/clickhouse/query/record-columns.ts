import { RowSet } from "../../contract/lake/row-set.js";
import type { Domain } from "../../contract/service/platforms.js";
import type { ColumnValues } from "../../store/filter-columns.js";
import { type Load, loadList, recordsOf } from "../committed-loads.js";
import type { Connection } from "../connection.js";
import { CLICKHOUSE_DEFAULTS } from "../defaults.js";
import { SqlParameters } from "../sql-text.js";
import { countingLoads, ofCountingSlices } from "../superseded.js";
import { HiddenPlaces } from "./hidden-places.js";
import { hiddenOrRemoved, replacedRows } from "./hidden-rows.js";
import type { RowPlaces } from "./row-places.js";

/** Bytes of a row: two numbers of 16 bits, and the capture as a double. */
const ROW_BYTES = 12;

/** What filters ask of records, and the languages of their texts. */
export interface RecordColumns {
  readonly columns: ColumnValues;
  /** The languages of all documents, replaced and removed ones as well: primary subtags, ascending. */
  readonly languages: readonly string[];
}

/**
 * Reads what filters ask of every record: 12 bytes a record, kept by each server.
 * @param all complete loads with slices
 * @param loads those of them with rows of the view
 */
export async function readRecordColumns(
  connection: Connection,
  all: readonly Load[],
  loads: readonly Load[],
  places: RowPlaces,
): Promise<RecordColumns> {
  const [known] = await connection.rows<[[string, Domain][], string[], string[]]>(
    `SELECT arraySort(groupUniqArray([toString(platform), toString(src)])), arraySort(groupUniqArray(toString(lang))),
        arraySort(groupUniqArrayIf(toString(language), ${ofCountingSlices(all)}
          AND (load, ordinal) GLOBAL NOT IN (${replacedRows("records", all)})))
      FROM records WHERE load IN (${loadList(loads)})`,
  );
  const [platforms, langs, languages] = known!;
  const [platform, lang] = [new Uint16Array(places.count), new Uint16Array(places.count)];
  const capturedMs = new Float64Array(places.count);
  const parameters = new SqlParameters();
  const numbered = (column: string, values: readonly string[]) => {
    const names = parameters.add("Array(String)", values);
    const numbers = parameters.add(
      "Array(UInt16)",
      values.map((_, i) => i),
    );
    return `transform(toString(${column}), ${names}, ${numbers}, toUInt16(0))`;
  };
  const columns = [
    numbered(
      "platform",
      platforms.map(([slug]) => slug),
    ),
    numbered("lang", langs),
    "toFloat64(captured_ms)",
  ];
  const read = async (some: readonly Load[]): Promise<void> => {
    // The rows of one are in this order: nothing is sorted.
    const order = some.length === 1 ? "ordinal" : "load, ordinal";
    const sql = `SELECT ${columns.join(", ")} FROM records WHERE load IN (${loadList(some)}) ORDER BY ${order}`;
    const bytes = await connection.bytes(sql, parameters.values);
    // Where rows of one were lost, those of the others keep their places.
    if (some.length > 1 && bytes.length !== recordsOf(some) * ROW_BYTES) {
      for (const load of some) await read([load]);
      return;
    }
    const first = places.rowOf(some[0]!.id, 0);
    for (let row = 0; row < bytes.length / ROW_BYTES; row += 1) {
      const at = row * ROW_BYTES;
      platform[first + row] = bytes.readUInt16LE(at);
      lang[first + row] = bytes.readUInt16LE(at + 2);
      capturedMs[first + row] = bytes.readDoubleLE(at + 4);
    }
  };
  for (const some of readAtOnce(loads)) await read(some);
  return {
    columns: {
      platforms: platforms.map(([slug, domain]) => ({ slug, domain })),
      langs,
      platform,
      lang,
      capturedMs,
    },
    languages,
  };
}

/** Loads by id, those of few records together: their rows follow each other in the order of {@link RowPlaces}. */
function readAtOnce(loads: readonly Load[]): Load[][] {
  const groups: Load[][] = [];
  let records = Number.POSITIVE_INFINITY;
  for (const load of loads) {
    records += load.records;
    if (records > CLICKHOUSE_DEFAULTS.columnRows) {
      groups.push([]);
      records = load.records;
    }
    groups.at(-1)!.push(load);
  }
  return groups;
}

/** The rows that no other edition replaced, and that were not removed, and places of those that are not shown. @param loads all that brought slices */
export async function readLiveRows(
  connection: Connection,
  loads: readonly Load[],
  removing: readonly Load[],
  places: RowPlaces,
): Promise<{ readonly live: RowSet; readonly removed: RowSet; readonly hidden: HiddenPlaces }> {
  const all = RowSet.all(places.count);
  const found = hiddenOrRemoved("records", loads, {
    removing,
    more: `load IN (${loadList(countingLoads(loads))})`,
  });
  const hidden = await connection.rows<[number, number, number]>(`${found} ORDER BY load, ordinal`);
  const rows = hidden.map(([load, ordinal]) => places.rowOf(load, ordinal));
  const gone = rows.filter((_, i) => hidden[i]![2] !== 0);
  return {
    live: rows.length === 0 ? all : all.minus(RowSet.of(places.count, rows)),
    removed: RowSet.of(places.count, gone),
    hidden: HiddenPlaces.of(hidden.map(([load, ordinal]) => [load, ordinal])),
  };
}
