/** The outcome of `Database.table`. */
export interface Table<T> {
  /** Names and SQL types. */
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: readonly T[];
}
