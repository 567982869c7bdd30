import * as Plot from "@observablehq/plot";
import { useEffect, useRef } from "preact/hooks";
import type { CellAnswer, SqlAnswer } from "../../../console/sql-answers.js";
import { useWidth } from "../../charts/use-width.js";
import { count, tick } from "../../format.js";
import { Failure, Loading } from "../../parts/states.js";
import { useResource } from "../../resource.js";
import { change, place } from "../../router.js";

const MARKS = ["bar", "line", "dot"] as const;
type Mark = (typeof MARKS)[number];

/** Colours of groups; further groups have the same again. */
const COLORS = ["var(--c1)", "var(--c2)", "var(--c3)", "var(--c4)", "var(--c5)", "var(--c6)"];

/** Bars that still have a name below them. */
const MOST_BARS = 60;

interface Columns {
  readonly step: number;
  readonly rows: readonly (readonly CellAnswer[])[];
}

/** Columns of a result against each other, as chosen in the address. */
export function ResultChart({ result }: { readonly result: SqlAnswer }) {
  const { columns, page } = result;
  const numeric = columns.filter((_, at) => result.numeric[at]);
  const { params } = place.value;
  const x = columns.includes(params.x ?? "")
    ? params.x!
    : (columns.find((name) => !numeric.includes(name)) ?? columns[0]!);
  const y = numeric.includes(params.y ?? "") ? params.y! : numeric.find((name) => name !== x);
  const color = columns.includes(params.color ?? "") ? params.color : undefined;
  const mark =
    MARKS.find((each) => each === params.mark) ??
    (numeric.includes(x) ? "dot" : isTime(page.rows, columns.indexOf(x)) ? "line" : "bar");
  const wanted = [x, y ?? x, color ?? x].map((name) => columns.indexOf(name)).join(",");
  const data = useResource<Columns>("sql/columns", { id: result.id, columns: wanted });
  const choice = (name: string, label: string, value: string, options: readonly string[], none?: string) => (
    <label class="field">
      <span>{label}</span>
      <select value={value} onChange={(event) => change({ [name]: event.currentTarget.value || undefined })}>
        {none !== undefined && <option value="">{none}</option>}
        {options.map((option) => (
          <option key={option}>{option}</option>
        ))}
      </select>
    </label>
  );
  return (
    <div class="panel">
      <div class="field-row">
        {choice("x", "Across", x, columns)}
        {choice("y", "Up", y ?? "", numeric, y === undefined ? "no numbers" : undefined)}
        {choice("color", "Colour", color ?? "", columns, "none")}
        {choice("mark", "Mark", mark, MARKS)}
      </div>
      {data.failure && <Failure failure={data.failure} again={data.again} />}
      {data.loading && !data.data && <Loading what="the columns" />}
      {y === undefined && <p class="notice">A chart needs a column of numbers.</p>}
      {data.data && y !== undefined && (
        <>
          {data.data.step > 1 && (
            <p class="hint">
              Every {count(data.data.step)}th row of {count(result.rows)}.
            </p>
          )}
          <Drawn rows={data.data.rows} x={x} y={y} color={color} mark={mark} numericX={numeric.includes(x)} />
        </>
      )}
    </div>
  );
}

/** A number that a drawing can place, of a cell of a column of numbers: long ones are texts. */
function numberOf(cell: CellAnswer | undefined): number | null {
  const number = cell === null || cell === undefined ? Number.NaN : Number(cell);
  return Number.isFinite(number) ? number : null;
}

function isTime(rows: readonly (readonly CellAnswer[])[], column: number): boolean {
  return rows.length > 1 && rows.every((row) => /^\d{4}-\d{2}(-\d{2}|$)/.test(String(row[column] ?? "")));
}

function Drawn(props: {
  readonly rows: Columns["rows"];
  readonly x: string;
  readonly y: string;
  readonly color: string | undefined;
  readonly mark: Mark;
  readonly numericX: boolean;
}) {
  const { rows, x, y, color, mark, numericX } = props;
  const [box, width] = useWidth<HTMLDivElement>();
  const drawing = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (width === 0) return;
    const temporal = isTime(rows, 0) && mark !== "bar";
    const points = (mark === "bar" ? rows.slice(0, MOST_BARS) : rows).map(([across, up, tint]) => ({
      across: temporal ? new Date(String(across)) : ((numericX ? numberOf(across) : across) ?? "NULL"),
      up: numberOf(up),
      tint: tint ?? "NULL",
    }));
    const stroke = color === undefined ? "var(--c1)" : "tint";
    const channels = { x: "across", y: "up" };
    const marks = {
      bar: () => Plot.barY(points, { ...channels, fill: stroke, tip: false }),
      line: () =>
        Plot.lineY(points, { ...channels, stroke, z: color === undefined ? null : "tint", sort: "across" }),
      dot: () => Plot.dot(points, { ...channels, stroke, r: 2.5 }),
    };
    const long = mark === "bar" && points.length > 8;
    const figure = Plot.plot({
      width,
      height: 380,
      className: "drawn",
      marginLeft: 64,
      marginBottom: long ? 110 : 40,
      ariaLabel: `${y} by ${x}`,
      x: {
        label: x,
        tickRotate: long ? -40 : 0,
        ...(mark === "bar" ? { domain: [...new Set(points.map((point) => point.across))] } : {}),
      },
      y: { label: y, grid: true, tickFormat: tick },
      color: {
        legend: color !== undefined,
        ...(points.every((point) => typeof point.tint === "number")
          ? {}
          : { type: "ordinal", range: COLORS }),
      },
      marks: [...(mark === "dot" ? [] : [Plot.ruleY([0])]), marks[mark]()],
    });
    // The styles in the drawing would need a nonce; the page has them.
    for (const style of figure.querySelectorAll("style")) style.remove();
    // The drawing is one picture, with a name; its groups may not have any.
    for (const group of figure.querySelectorAll("g[aria-label]")) group.removeAttribute("aria-label");
    drawing.current?.replaceChildren(figure);
    return () => drawing.current?.replaceChildren();
  }, [rows, x, y, color, mark, numericX, width]);
  return (
    <div ref={box}>
      <div ref={drawing} role="img" aria-label={`${y} by ${x}, as ${mark}s`} />
      {mark === "bar" && rows.length > MOST_BARS && (
        <p class="hint">
          The first {MOST_BARS} of {count(rows.length)} rows.
        </p>
      )}
    </div>
  );
}
