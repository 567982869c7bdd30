import type { Row } from "./rows.js";

/** `typeId` of Arrow's dictionaries, dates and timestamps (Schema.fbs, as apache-arrow numbers them). */
const DICTIONARY = -1;
const DATE = 8;
const TIMESTAMP = 10;
/** Milliseconds from 1970 on that a Date can hold (ECMA-262, 21.4.1.1). */
const MOST_MS = 8.64e15;

interface TypeLike {
  readonly typeId: number;
  readonly dictionary?: TypeLike;
}

/** What is read of an Arrow table. */
interface ArrowTableLike extends Iterable<{ toJSON(): Readonly<Record<string, unknown>> }> {
  readonly schema: { readonly fields: readonly { readonly name: string; readonly type: TypeLike }[] };
}

/** Whether a value is an Arrow table or record batch, of any copy of apache-arrow. */
export function isArrowTable(value: object): value is ArrowTableLike {
  if (!(Symbol.iterator in value) || !("schema" in value)) return false;
  const { schema } = value as { schema: { fields?: unknown } | null | undefined };
  return typeof schema === "object" && schema !== null && Array.isArray(schema.fields);
}

/**
 * The rows of an Arrow table, as rows of SQL have them: its days and instants, which Arrow gives as milliseconds, are Dates; those that
 * no Date can hold are `infinity` or `-infinity`.
 */
export function arrowRows(table: ArrowTableLike): Row[] {
  const times = table.schema.fields.filter(({ type }) => isTime(type)).map(({ name }) => name);
  return Array.from(table, (item) => {
    const row: Record<string, unknown> = item.toJSON();
    for (const name of times) row[name] = instantOf(row[name]);
    return row;
  });
}

function isTime(type: TypeLike): boolean {
  if (type.typeId === DICTIONARY) return type.dictionary !== undefined && isTime(type.dictionary);
  return type.typeId === DATE || type.typeId === TIMESTAMP;
}

function instantOf(value: unknown): unknown {
  if (typeof value !== "number" && typeof value !== "bigint") return value;
  const ms = Number(value);
  if (Math.abs(ms) <= MOST_MS) return new Date(ms);
  return ms > 0 ? "infinity" : "-infinity";
}
