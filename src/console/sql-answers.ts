/** A view that queries may read. */
export interface ViewAnswer {
  readonly name: string;
  readonly meaning: string;
  readonly columns: readonly { readonly name: string; readonly type: string; readonly meaning: string }[];
}

/** A cell of a result: what JSON can say. */
export type CellAnswer = string | number | boolean | null;

/** The result of a query, which the server keeps, and its first page. */
export interface SqlAnswer {
  readonly id: number;
  readonly columns: readonly string[];
  /** Whether each column has numbers, by its type; those that a double cannot hold are texts. */
  readonly numeric: readonly boolean[];
  readonly rows: number;
  /** Whether there are more rows than the server keeps. */
  readonly cut: boolean;
  readonly ms: number;
  readonly page: SqlPageAnswer;
}

/** Rows of a result. */
export interface SqlPageAnswer {
  readonly offset: number;
  readonly rows: readonly (readonly CellAnswer[])[];
}

/** A row of a result, with its texts whole. */
export interface SqlRowAnswer {
  readonly cells: readonly CellAnswer[];
  /** The columns whose value is longer than the server keeps: of these the beginning is here. */
  readonly cut: readonly number[];
}
