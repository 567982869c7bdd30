import { z } from "zod";
import { checkOptions, optionsSchema } from "../contract/check-options.js";
import { CountOption, FlagOption, TextOption } from "../contract/option-schemas.js";
import { type ChartOptions, plotChart } from "./chart.js";
import { type AxisValue, axisValue, chartData, noteWith, numberValue, withUnit } from "./chart-data.js";
import { chartShape } from "./chart-shape.js";
import { CHART_FONT_SIZE, CHART_HEIGHT, CHART_LINES } from "./defaults.js";
import { formatNumber } from "./format-value.js";
import { CATEGORY_COLORS } from "./palette.js";
import { fitColumns, textPixels } from "./text-width.js";
import type { View } from "./view.js";

/** Options of {@link lineChart}. */
export interface LineChartOptions extends ChartOptions {
  /** Column of the x axis: instants, days or numbers. */
  readonly x: string;
  /** Column of the values. */
  readonly y: string;
  /** Column that separates the lines; each is labelled at its end. */
  readonly series?: string;
  /** Maximum number of lines, default 20: those with the most points. A note counts the others. */
  readonly limit?: number;
  readonly xLabel?: string;
  readonly yLabel?: string;
  /** Unit of the values. */
  readonly unit?: string;
  /** Whether the y axis begins at zero. */
  readonly zero?: boolean;
  /** `step` for values that hold until the next one, as prices do. */
  readonly curve?: "linear" | "step";
}

const MARGIN_TOP = 34;
const MARGIN_BOTTOM = 38;
const LABEL_COLUMNS = 34;

const OPTIONS = optionsSchema<LineChartOptions>(() => ({
  ...chartShape(),
  x: TextOption,
  y: TextOption,
  series: TextOption.optional(),
  xLabel: z.string().optional(),
  yLabel: z.string().optional(),
  unit: z.string().optional(),
  zero: FlagOption.optional(),
  limit: CountOption.optional(),
  curve: z.enum(["linear", "step"]).optional(),
}));

/**
 * Lines over time or numbers, each labelled at its end. Rows may be anything that `table` accepts.
 * @throws UsageError `unknown_column`, `not_a_number`, `plot_missing`
 */
export async function lineChart(data: unknown, options: LineChartOptions): Promise<View> {
  checkOptions(OPTIONS, options, "lineChart");
  const { x, y, series, limit = CHART_LINES, unit, zero = false, curve = "linear", ...labelled } = options;
  const { xLabel, yLabel, ...frame } = labelled;
  const { rows, ...leftOut } = chartData(data, series === undefined ? [x, y] : [x, y, series]);
  const all = rows
    .map((row) => ({
      x: axisValue(row, x),
      y: numberValue(row, y),
      series: series === undefined ? "" : String(row[series]),
    }))
    .sort((a, b) => Number(a.x) - Number(b.x));
  const { points, note } = longestLines(all, limit);
  const height = frame.height ?? CHART_HEIGHT;
  const [low, high] = rangeOf(
    points.map((point) => point.y),
    zero,
  );
  const ends = spread([...lastPoints(points)], low, high, height - MARGIN_TOP - MARGIN_BOTTOM);
  const widest = Math.max(0, ...ends.map(({ label }) => textPixels(label, CHART_FONT_SIZE)));
  const names = ends.map((end) => end.series).sort((a, b) => (a < b ? -1 : 1));
  return plotChart(
    (Plot) => ({
      marginTop: MARGIN_TOP,
      marginBottom: MARGIN_BOTTOM,
      marginLeft: 56,
      marginRight: series === undefined ? 16 : widest + 20,
      insetLeft: 6,
      x: { label: xLabel ?? null, type: points[0]?.x instanceof Date ? "utc" : "linear" },
      y: { label: withUnit(yLabel ?? y, unit), domain: [low, high], grid: true, nice: false },
      color: {
        domain: names,
        legend: false,
        ...(names.length <= CATEGORY_COLORS.length ? {} : { range: cycle(names.length) }),
      },
      marks: [
        ...(low <= 0 && high >= 0 ? [Plot.ruleY([0], { strokeOpacity: 0.5 })] : []),
        Plot.line(points, {
          x: "x",
          y: "y",
          z: "series",
          stroke: "series",
          strokeWidth: 2,
          curve: curve === "step" ? "step-after" : "linear",
        }),
        Plot.dot(ends, { x: "x", y: "y", fill: "series", r: 3 }),
        Plot.text(series === undefined ? [] : ends, {
          x: "x",
          y: "labelY",
          text: "label",
          fill: "series",
          textAnchor: "start",
          dx: 8,
        }),
      ],
    }),
    { ...frame, ...noteWith(joined(frame.note, note), leftOut) },
  );
}

interface Point {
  readonly x: AxisValue;
  readonly y: number;
  readonly series: string;
}

interface LineEnd extends Point {
  readonly label: string;
  /** Position of the label, in axis units. */
  readonly labelY: number;
}

/** The points of the `limit` longest lines, ties by name, and a note with the number of the others. */
function longestLines(
  points: readonly Point[],
  limit: number,
): { readonly points: readonly Point[]; readonly note?: string } {
  const counts = new Map<string, number>();
  for (const { series } of points) counts.set(series, (counts.get(series) ?? 0) + 1);
  if (counts.size <= limit) return { points };
  const longest = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).slice(0, limit);
  const drawn = new Set(longest.map(([name]) => name));
  const left = `${formatNumber(counts.size - limit)} of ${formatNumber(counts.size)} lines`;
  return {
    points: points.filter(({ series }) => drawn.has(series)),
    note: `${left} left out: those with the fewest points.`,
  };
}

function joined(...notes: readonly (string | undefined)[]): string | undefined {
  const text = notes.filter((note) => note !== undefined).join(" ");
  return text === "" ? undefined : text;
}

function lastPoints(points: readonly Point[]): Iterable<Point> {
  return new Map(points.map((point) => [point.series, point])).values();
}

function rangeOf(values: readonly number[], zero: boolean): readonly [number, number] {
  const all = zero ? [0, ...values] : values;
  const [low, high] = [Math.min(...all), Math.max(...all)];
  if (!Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
  const room = high === low ? Math.abs(high) * 0.1 || 1 : (high - low) * 0.06;
  return [zero && low === 0 ? 0 : low - room, zero && high === 0 ? 0 : high + room];
}

/** Moves the labels at line ends apart until none overlap; they keep their order. */
function spread(ends: readonly Point[], low: number, high: number, pixels: number): readonly LineEnd[] {
  const gap = ((CHART_FONT_SIZE + 3) / pixels) * (high - low);
  const sorted = [...ends].sort((a, b) => a.y - b.y || (a.series < b.series ? -1 : 1));
  const places = sorted.map((end) => end.y);
  for (let i = 1; i < places.length; i++) places[i] = Math.max(places[i]!, places[i - 1]! + gap);
  const over = (places.at(-1) ?? high) - high;
  if (over > 0) {
    places[places.length - 1] = high;
    for (let i = places.length - 2; i >= 0; i--) places[i] = Math.min(places[i]!, places[i + 1]! - gap);
  }
  return sorted.map((end, i) => ({
    ...end,
    label: fitColumns(end.series, LABEL_COLUMNS),
    labelY: places[i]!,
  }));
}

function cycle(count: number): string[] {
  return Array.from({ length: count }, (_, i) => CATEGORY_COLORS[i % CATEGORY_COLORS.length]!);
}
