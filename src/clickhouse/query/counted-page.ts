import type { Connection, Parameters } from "../connection.js";

/** What a page is of. */
export interface PageStatement {
  readonly columns: string;
  /** SQL of what has the rows, with their condition. */
  readonly from: string;
  /** SQL of their order. */
  readonly order: string;
  readonly offset: number;
  readonly limit: number;
}

/** SQL of a page. */
export function pageSql({ columns, from, order, offset, limit }: PageStatement): string {
  return `SELECT ${columns} FROM ${from} ORDER BY ${order} LIMIT ${limit} OFFSET ${offset}`;
}

/**
 * Reads the rows of a page, and the number of all rows that it is of: by one statement. Another one that counts them would read as many
 * again; it is asked where the server does not say how many it sorted, and past the end.
 */
export async function readPage<Row extends readonly unknown[]>(
  connection: Connection,
  page: PageStatement,
  values: Parameters,
): Promise<{ rows: Row[]; total: number }> {
  const { from, offset, limit } = page;
  const { rows, sorted } = await connection.page<Row>(pageSql(page), values);
  const end = offset + rows.length;
  const isLast = rows.length < limit && (rows.length > 0 || offset === 0);
  if (isLast) return { rows, total: end };
  if (rows.length > 0 && sorted !== undefined && sorted >= end) return { rows, total: sorted };
  const [counted] = await connection.rows<[number]>(`SELECT count() FROM ${from}`, values);
  return { rows, total: counted![0] };
}
