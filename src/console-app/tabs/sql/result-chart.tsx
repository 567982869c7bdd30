import * as Plot from "@observablehq/plot";
import { useEffect, useRef } from "preact/hooks";
import type { CellAnswer, SqlAnswer } from "../../../console/sql-answers.js";
import { useWidth } from "../../charts/use-width.js";
import { count, counted, cutText, tick } from "../../format.js";
import { Loading } from "../../parts/states.js";
import { useResource } from "../../resource.js";
import { change, place } from "../../router.js";
import { ResultFailure } from "./result-failure.js";

const MARKS = ["bar", "line", "dot"] as const;
type Mark = (typeof MARKS)[number];

/** Colours of groups; further groups have the same again. */
const COLORS = ["var(--c1)", "var(--c2)", "var(--c3)", "var(--c4)", "var(--c5)", "var(--c6)"];

/** Bars that still have a name below them. */
const MOST_BARS = 60;

/** Room of a name below a chart, px, and its longest, characters. */
const NAME_WIDTH = 110;
const NAME_LENGTH = 16;

interface Columns {
  readonly step: number;
  readonly rows: readonly (readonly CellAnswer[])[];
}

/** Columns of a result against each other, as chosen in the address. */
export function ResultChart(props: {
  readonly result: SqlAnswer;
  /** Runs the query again. */
  readonly rerun: () => void;
}) {
  const { result, rerun } = props;
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
      {data.failure && <ResultFailure failure={data.failure} again={data.again} rerun={rerun} />}
      {data.loading && !data.current && <Loading what="the columns" />}
      {y === undefined && (
        <p class="notice">
          {numeric.length === 0
            ? "A chart needs a column of numbers."
            : "A chart needs a second column: the only one is across, and has numbers."}
        </p>
      )}
      {data.current && y !== undefined && (
        <>
          {data.current.step > 1 && (
            <p class="hint">
              Every {count(data.current.step)}th row of {count(result.rows)}.
            </p>
          )}
          <Drawn
            rows={data.current.rows}
            x={x}
            y={y}
            color={color}
            mark={mark}
            numericX={numeric.includes(x)}
          />
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
  const values = rows.map((row) => row[column]).filter((value) => value !== null);
  return values.length > 1 && values.every((value) => /^\d{4}-\d{2}(-\d{2}|$)/.test(String(value)));
}

/** A name that has room below a chart. */
const nameOf = (name: string) => (name.length > NAME_LENGTH ? `${cutText(name, NAME_LENGTH - 1)}…` : name);

/** Every so many names that they do not cover each other. */
function spacedOf(names: readonly unknown[], width: number): readonly unknown[] {
  const step = Math.ceil(names.length / Math.max(1, Math.floor(width / NAME_WIDTH)));
  return names.filter((_, at) => at % step === 0);
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
  const temporal = mark !== "bar" && isTime(rows, 0);
  const measured = temporal || (numericX && mark !== "bar");
  // NULL is no place on an axis of numbers or of time; among names it is one.
  const placed = measured
    ? rows.filter(([across]) => (temporal ? across !== null : numberOf(across) !== null))
    : rows;
  useEffect(() => {
    if (width === 0) return;
    const points = (mark === "bar" ? rows.slice(0, MOST_BARS) : placed).map(([across, up, tint]) => ({
      across: temporal ? new Date(String(across)) : ((numericX ? numberOf(across) : across) ?? "NULL"),
      up: numberOf(up),
      tint: tint ?? "NULL",
    }));
    const names = [...new Set(points.map(({ across }) => across))];
    const stroke = color === undefined ? "var(--c1)" : "tint";
    const channels = { x: "across", y: "up" };
    const marks = {
      bar: () => Plot.barY(points, { ...channels, fill: stroke, tip: false }),
      line: () =>
        Plot.lineY(points, {
          ...channels,
          stroke,
          z: color === undefined ? null : "tint",
          sort: measured ? "across" : null,
        }),
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
        type: temporal ? "utc" : measured ? "linear" : mark === "bar" ? "band" : "point",
        domain: measured ? undefined : names,
        ticks: measured || mark === "bar" ? undefined : spacedOf(names, width),
        tickFormat: measured ? undefined : (name: unknown) => nameOf(String(name)),
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
      {placed.length < rows.length && (
        <p class="hint">
          {counted(rows.length - placed.length, "row")} without {x}: not drawn.
        </p>
      )}
      <div ref={drawing} role="img" aria-label={`${y} by ${x}, as ${mark}s`} />
      {mark === "bar" && rows.length > MOST_BARS && (
        <p class="hint">
          The first {MOST_BARS} of {count(rows.length)} rows.
        </p>
      )}
    </div>
  );
}
