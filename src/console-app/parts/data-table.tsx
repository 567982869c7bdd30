import type { ComponentChild } from "preact";
import { ScrollBox } from "./scroll-box.js";

/** A column of a table: its title and what it shows of a row. */
export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ComponentChild;
  /** Whether it names the row. */
  readonly head?: boolean;
  /** Whether it has numbers, which stand at the right. */
  readonly number?: boolean;
  /** Whether only who cannot see hears the title. */
  readonly quiet?: boolean;
  readonly className?: string;
}

/** A table that scrolls where it is wider or taller than its place. */
export function DataTable<Row>(props: {
  /** What it is, for who cannot see it. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
  /** Classes of the box that scrolls, and of the table. */
  readonly className?: string;
  readonly tableClass?: string;
}) {
  const { label, columns, rows, keyOf, className = "scroll", tableClass = "" } = props;
  const classOf = ({ number, className: own }: Column<Row>) =>
    [number && "number", own].filter(Boolean).join(" ");
  return (
    <ScrollBox label={label} className={className}>
      <table class={tableClass}>
        <thead>
          <tr>
            {columns.map(({ title, number, quiet }) => (
              <th key={title} scope="col" class={number ? "number" : ""}>
                {quiet ? <span class="hidden">{title}</span> : title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column) =>
                column.head ? (
                  <th key={column.title} scope="row" class={classOf(column)}>
                    {column.cell(row)}
                  </th>
                ) : (
                  <td key={column.title} class={classOf(column)}>
                    {column.cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}
