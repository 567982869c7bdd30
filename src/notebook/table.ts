import { z } from "zod";
import { checkOptions, optionsSchema } from "../contract/check-options.js";
import { CountOption, FlagOption, TextOption } from "../contract/option-schemas.js";
import type { Meta } from "../contract/service/envelope.js";
import { type Column, FIGURES, RECORD, type ResolvedColumn, resolveColumns } from "./columns.js";
import { TABLE_ROWS } from "./defaults.js";
import { digitsOf, formatDay, formatNumber, formatText, formatTime, kindOf } from "./format-value.js";
import { html, type Markup } from "./markup.js";
import { plainTable } from "./plain-table.js";
import { type Row, toRows } from "./rows.js";
import { createView, type View } from "./view.js";

/** Options of {@link table}. */
export interface TableOptions {
  readonly title?: string;
  /** A remark under the table. */
  readonly note?: string;
  /** Columns by key, or with heading, unit, bars. Default: columns that suit the rows. */
  readonly columns?: readonly (string | Column)[];
  /** Maximum rows shown, default 20; the foot has the total. */
  readonly limit?: number;
}

const ColumnSchema = z.strictObject({
  key: TextOption,
  label: z.string().optional(),
  unit: z.string().optional(),
  digits: CountOption.max(100).optional(),
  kind: z.enum(["text", "number", "time"]).optional(),
  bar: FlagOption.optional(),
});

const OPTIONS = optionsSchema<TableOptions>(() => ({
  title: z.string().optional(),
  note: z.string().optional(),
  columns: z
    .array(z.union([TextOption, ColumnSchema], "must be a name, or an object with the key of a column"))
    .optional(),
  limit: CountOption.optional(),
}));

/**
 * A table of an answer, a page, records, rows of SQL, manifests, an Arrow table, or the fields of one object. Numbers are aligned
 * at the decimal point, times are in UTC, and text of any script has its own direction.
 */
export function table(data: unknown, options: TableOptions = {}): View {
  checkOptions(OPTIONS, options, "table");
  const found = toRows(data);
  const limit = found.kind === "fields" ? found.rows.length : (options.limit ?? TABLE_ROWS);
  const rows = found.rows.slice(0, limit);
  const columns =
    found.kind === "fields" && options.columns === undefined
      ? FIELD_COLUMNS
      : resolveColumns(rows, options.columns);
  const foot = [
    ...(found.kind === "list" ? [countOf(rows.length, found.total ?? found.rows.length)] : []),
    ...(found.meta === undefined ? [] : [costOf(found.meta)]),
  ].join(" · ");
  const showsFoot =
    foot !== "" &&
    (found.meta !== undefined || rows.length < (found.total ?? found.rows.length) || rows.length === 0);
  const note = noteOf(options, rows);
  const scales = columns.map((column) => (column.bar ? barScale(rows, column.key) : undefined));
  const body = html`<div class="mirrorlake">${
    options.title === undefined ? undefined : html`<div class="ml-title" dir="auto">${options.title}</div>`
  }${
    rows.length === 0
      ? undefined
      : html`<div class="ml-scroll"><table>
<thead><tr>${columns.map(heading)}</tr></thead>
<tbody>
${rows.map((row) => html`<tr>${columns.map((column, i) => cell(row, column, scales[i]))}</tr>\n`)}</tbody>
</table></div>`
  }${note === undefined ? undefined : html`<div class="ml-note" dir="auto">${note}</div>`}${
    showsFoot ? html`<div class="ml-note">${foot}</div>` : undefined
  }</div>`;
  const lines = [
    options.title,
    plainTable(
      columns,
      rows.map((row) => columns.map((column) => plainOf(row, column))),
    ),
    note,
  ];
  if (showsFoot) lines.push(foot);
  return createView(body, lines.filter((line) => line !== undefined && line !== "").join("\n"));
}

/** The note, and the columns that were asked for and that no row has: optional ones, or mistakes. */
function noteOf({ note, columns = [] }: TableOptions, rows: readonly Row[]): string | undefined {
  if (rows.length === 0) return note;
  const keys = columns.map((column) => (typeof column === "string" ? column : column.key));
  const missing = keys.filter((key) => !PSEUDO_KEYS.has(key) && !rows.some((row) => key in row));
  if (missing.length === 0) return note;
  const told = `No row has ${missing.map((key) => JSON.stringify(key)).join(", ")}.`;
  return note === undefined ? told : `${note} ${told}`;
}

const PSEUDO_KEYS: ReadonlySet<string> = new Set([RECORD, FIGURES]);

const FIELD_COLUMNS: readonly ResolvedColumn[] = [
  { key: "field", label: "field", unit: undefined, unitKey: undefined, digits: 0, bar: false, kind: "text" },
  { key: "value", label: "value", unit: undefined, unitKey: undefined, digits: 0, bar: false, kind: "text" },
];

const CLASSES: Readonly<Record<ResolvedColumn["kind"], string>> = {
  text: "ml-text",
  record: "ml-text",
  number: "ml-number",
  time: "ml-time",
  day: "ml-time",
  flag: "ml-short",
  id: "ml-id",
};

function heading({ label, unit, kind }: ResolvedColumn): Markup {
  const shownUnit = unit === undefined ? undefined : html` <span class="ml-unit">${unit}</span>`;
  return html`<th scope="col" class="${CLASSES[kind]}" dir="auto">${label}${shownUnit}</th>`;
}

function cell(row: Row, column: ResolvedColumn, scale: BarScale | undefined): Markup {
  const { kind } = column;
  const value = row[column.key];
  if (kind === "record") return recordCell(row);
  const text = plainOf(row, column);
  if (text === "")
    return html`<td class="${kind === "number" ? CLASSES[kind] : "ml-short"}"><span class="ml-none">–</span></td>`;
  if (kind === "text") {
    const plain = column.key === FIGURES ? "ml-text ml-figures" : "ml-text";
    const short = text.length <= 24 && !/\s\S+\s/.test(text);
    const lang =
      typeof row.lang === "string" && (column.key === "text" || column.key === "title")
        ? row.lang
        : undefined;
    return html`<td class="${short ? "ml-short" : plain}" dir="auto"${langAttribute(lang)}>${
      short ? text : html`<div class="ml-clamp">${text}</div>`
    }</td>`;
  }
  if (scale !== undefined && typeof value === "number")
    return html`<td class="ml-number ml-bar">${fill(scale, value)}<span class="ml-over">${text}</span></td>`;
  if (kind === "id" && LONG_HASH.test(text))
    return html`<td class="${CLASSES[kind]}" title="${text}">${text.slice(0, 14)}…</td>`;
  return html`<td class="${CLASSES[kind]}">${text}</td>`;
}

/** Long hashes, shown shortened; the element's title has the full hash. */
const LONG_HASH = /^(0x)?[0-9a-f]{32,}$/;

function recordCell(row: Row): Markup {
  const lang = langAttribute(typeof row.lang === "string" ? row.lang : undefined);
  const [title, text] = [row.title, row.text].filter((part) => typeof part === "string");
  return html`<td class="ml-text ml-record" dir="auto"${lang}><div class="ml-clamp">${title ?? "–"}</div>${
    text === undefined ? undefined : html`<div class="ml-clamp ml-sub" dir="auto">${text}</div>`
  }</td>`;
}

function langAttribute(lang: string | undefined): Markup | undefined {
  return lang === undefined || lang === "und" ? undefined : html` lang="${lang}"`;
}

function plainOf(row: Row, column: ResolvedColumn): string {
  if (column.key === RECORD) return String(row.title ?? row.text ?? "");
  if (column.key === FIGURES) return figures(row);
  const value = row[column.key];
  if (value === null || value === undefined || value === "") return "";
  const kind = column.kind === "text" ? kindOf("", [value]) : column.kind;
  const digits = column.kind === "text" ? digitsOf([value]) : column.digits;
  const unit = column.unitKey === undefined ? "" : ` ${String(row[column.unitKey] ?? "")}`;
  if (kind === "number" && (typeof value === "number" || typeof value === "bigint"))
    return `${formatNumber(value, digits)}${unit}`;
  if (kind === "time") return column.kind === "text" ? `${formatTime(value)} UTC` : formatTime(value);
  if (kind === "day") return formatDay(value);
  if (kind === "flag" && typeof value === "boolean") return value ? "yes" : "no";
  return formatText(value);
}

function figures(row: Row): string {
  return Object.entries(row)
    .flatMap(([key, value]) => {
      const name = /^(?:metrics\.|author\.(?=followers$))(.+)$/.exec(key)?.[1];
      if (name === undefined || typeof value !== "number") return [];
      return [
        `${formatNumber(value, digitsOf([value]))} ${name.replaceAll("_", " ")}`.replaceAll(" ", "\u00a0"),
      ];
    })
    .join(" · ");
}

/** Common scale of a column's bars, from zero. */
interface BarScale {
  readonly least: number;
  readonly most: number;
}

function barScale(rows: readonly Row[], key: string): BarScale {
  const values = rows.map((row) => row[key]).filter((value): value is number => Number.isFinite(value));
  return { least: Math.min(0, ...values), most: Math.max(0, ...values) };
}

function fill({ least, most }: BarScale, value: number): Markup | undefined {
  if (most === least) return undefined;
  const share = (at: number) => (at - least) / (most - least);
  const [from, to] = [share(Math.min(0, value)), share(Math.max(0, value))];
  const room = (part: number) => `calc((100% - ${BAR_NUMBER}) * ${Number(part.toFixed(4))})`;
  const name = value < 0 ? "ml-fill ml-down" : "ml-fill";
  return html`<span class="${name}" style="left:${room(from)};width:${room(to - from)}"></span>`;
}

/** Width reserved for the number in a bar's cell. */
const BAR_NUMBER = "5.5em";

function countOf(shown: number, total: number): string {
  if (total === 0) return "nothing found";
  const all = formatNumber(total);
  return shown === total ? `${all} ${total === 1 ? "row" : "rows"}` : `${formatNumber(shown)} of ${all} rows`;
}

function costOf(meta: Meta): string {
  if (meta.used_free_quota) return `a free call, ${formatNumber(meta.free_quota_remaining)} left this month`;
  return meta.billed ? `charged ${meta.charged_usd} USD` : "not charged";
}
