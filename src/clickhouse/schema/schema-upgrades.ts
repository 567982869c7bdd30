/** A change of a table that brings it to a version. */
interface Upgrade {
  readonly to: number;
  readonly table: string;
  readonly alter: string;
  /** Whether it is of the rows alone, and not of the `Distributed` table over them. */
  readonly ofRows?: boolean;
}

const UPGRADES: readonly Upgrade[] = [
  {
    to: 2,
    table: "loads",
    alter:
      "ADD COLUMN IF NOT EXISTS removes UInt8 DEFAULT 0, ADD COLUMN IF NOT EXISTS digests String DEFAULT ''",
  },
  { to: 2, table: "hidden", alter: "ADD COLUMN IF NOT EXISTS removed UInt8 DEFAULT 0" },
  // Versions 3 and 4 had the graph of vectors in their own table.
  { to: 5, table: "vectors", alter: "DROP INDEX IF EXISTS near", ofRows: true },
  { to: 5, table: "vectors", alter: "DROP COLUMN IF EXISTS shape" },
  {
    to: 7,
    table: "redactions",
    alter:
      "ADD COLUMN IF NOT EXISTS turn UInt64 DEFAULT by, ADD COLUMN IF NOT EXISTS quotes UInt8 DEFAULT priced = 0",
  },
];

/**
 * The statements that bring tables up to date, in their order.
 * @param found version of the tables that are there
 * @param on what follows the name of a table: `_local` and `ON CLUSTER` of a cluster's rows
 */
export function upgradeStatements(
  found: number,
  on?: { readonly local: string; readonly over: string },
): string[] {
  return UPGRADES.filter(({ to }) => to > found).flatMap(({ table, alter, ofRows }) => {
    if (on === undefined) return [`ALTER TABLE ${table} ${alter}`];
    const rows = `ALTER TABLE ${table}${on.local} ${alter}`;
    return ofRows === true ? [rows] : [rows, `ALTER TABLE ${table}${on.over} ${alter}`];
  });
}
