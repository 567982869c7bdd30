import { RowSet } from "../../contract/lake/row-set.js";
import type { Domain } from "../../contract/service/platforms.js";
import type { ColumnValues } from "../../store/filter-columns.js";
import { type Load, loadList } from "../committed-loads.js";
import type { Connection } from "../connection.js";
import { SqlParameters } from "../sql-text.js";
import { countingLoads } from "../superseded.js";
import { hiddenOrRemoved } from "./hidden-rows.js";
import type { RowPlaces } from "./row-places.js";

/** Bytes of a row: two numbers of 16 bits, and the capture as a double. */
const ROW_BYTES = 12;

/**
 * Reads what filters ask of every record: 12 bytes a record, kept by each server.
 * @param loads those with rows of the view
 */
export async function readRecordColumns(
  connection: Connection,
  loads: readonly Load[],
  places: RowPlaces,
): Promise<ColumnValues> {
  const list = loadList(loads);
  const platforms = await connection.rows<[string, Domain]>(
    `SELECT DISTINCT platform, src FROM records WHERE load IN (${list}) ORDER BY platform, src`,
  );
  const langs = await connection.rows<[string]>(
    `SELECT DISTINCT lang FROM records WHERE load IN (${list}) ORDER BY lang`,
  );
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
    numbered(
      "lang",
      langs.map(([tag]) => tag),
    ),
    "toFloat64(captured_ms)",
  ];
  for (const { id } of loads) {
    const sql = `SELECT ${columns.join(", ")} FROM records WHERE load = ${id} ORDER BY ordinal`;
    const bytes = await connection.bytes(sql, parameters.values);
    const first = places.rowOf(id, 0);
    for (let row = 0; row < bytes.length / ROW_BYTES; row += 1) {
      const at = row * ROW_BYTES;
      platform[first + row] = bytes.readUInt16LE(at);
      lang[first + row] = bytes.readUInt16LE(at + 2);
      capturedMs[first + row] = bytes.readDoubleLE(at + 4);
    }
  }
  return {
    platforms: platforms.map(([slug, domain]) => ({ slug, domain })),
    langs: langs.map(([tag]) => tag),
    platform,
    lang,
    capturedMs,
  };
}

/** The rows that no other edition replaced, and that were not removed. @param loads all that brought slices */
export async function readLiveRows(
  connection: Connection,
  loads: readonly Load[],
  removing: readonly Load[],
  places: RowPlaces,
): Promise<{ readonly live: RowSet; readonly removed: RowSet }> {
  const hidden = await connection.rows<[number, number, number]>(
    hiddenOrRemoved("records", loads, {
      removing,
      more: `load IN (${loadList(countingLoads(loads))})`,
    }),
  );
  const rows = hidden.map(([load, ordinal]) => places.rowOf(load, ordinal));
  const gone = rows.filter((_, i) => hidden[i]![2] !== 0);
  const all = RowSet.all(places.count);
  return {
    live: rows.length === 0 ? all : all.minus(RowSet.of(places.count, rows)),
    removed: RowSet.of(places.count, gone),
  };
}
