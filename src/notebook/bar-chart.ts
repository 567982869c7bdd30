import { z } from "zod";
import { checkOptions, optionsSchema } from "../contract/check-options.js";
import { CountOption, TextOption } from "../contract/option-schemas.js";
import { type ChartOptions, diverging, plotChart } from "./chart.js";
import { chartData, noteWith, numberValue, withUnit } from "./chart-data.js";
import { chartShape } from "./chart-shape.js";
import { CHART_FONT_SIZE } from "./defaults.js";
import { digitsOf, formatNumber } from "./format-value.js";
import { CATEGORY_COLORS } from "./palette.js";
import { fitColumns, textPixels } from "./text-width.js";
import type { View } from "./view.js";

/** Options of {@link barChart}. */
export interface BarChartOptions extends ChartOptions {
  /** Column of the values; bars begin at zero. */
  readonly x: string;
  /** Column of the names, one per bar. */
  readonly y: string;
  /** Column that colours the bars by category. */
  readonly color?: string;
  readonly xLabel?: string;
  readonly unit?: string;
  /** Decimals of the values beside the bars. */
  readonly digits?: number;
}

const BAR = 26;
const LABEL_COLUMNS = 44;

const OPTIONS = optionsSchema<BarChartOptions>(() => ({
  ...chartShape(),
  x: TextOption,
  y: TextOption,
  color: TextOption.optional(),
  xLabel: z.string().optional(),
  unit: z.string().optional(),
  digits: CountOption.max(100).optional(),
}));

/**
 * Horizontal bars in row order, each with its value. If values have both signs, bars are coloured by sign.
 * @throws UsageError `unknown_column`, `not_a_number`, `plot_missing`
 */
export async function barChart(data: unknown, options: BarChartOptions): Promise<View> {
  checkOptions(OPTIONS, options, "barChart");
  const { x, y, color, unit, xLabel, digits: givenDigits, ...frame } = options;
  const { rows, ...leftOut } = chartData(data, color === undefined ? [x, y] : [x, y, color]);
  const values = rows.map((row) => numberValue(row, x));
  const digits = givenDigits ?? digitsOf(values);
  const bars = rows.map((row, i) => ({
    row: String(i),
    name: String(row[y]),
    value: values[i]!,
    text: textOf(row[x], values[i]!, digits),
    color: color === undefined ? values[i]! : String(row[color]),
  }));
  const bothSigns = values.some((value) => value < 0) && values.some((value) => value > 0);
  const allDown = !bothSigns && values.some((value) => value < 0);
  const labels = bars.map(({ name }) => fitColumns(name, LABEL_COLUMNS));
  const left = Math.max(0, ...labels.map((label) => textPixels(label, CHART_FONT_SIZE))) + 16;
  const room = Math.max(0, ...bars.map(({ text }) => textPixels(text, CHART_FONT_SIZE))) + 12;
  const fill =
    color !== undefined || bothSigns ? "color" : allDown ? CATEGORY_COLORS[1]! : CATEGORY_COLORS[0]!;
  return plotChart(
    (Plot) => ({
      height: bars.length * BAR + 62,
      marginTop: 8,
      marginBottom: 40,
      marginLeft: left,
      marginRight: room,
      insetLeft: values.some((value) => value < 0) ? room : 0,
      x: {
        label: withUnit(xLabel ?? x, unit),
        grid: true,
        ...(values.length === 0 ? { domain: [0, 1] } : {}),
      },
      y: {
        label: null,
        domain: bars.map((bar) => bar.row),
        tickFormat: (row: string) => labels[Number(row)]!,
        tickSize: 0,
        padding: 0.22,
      },
      color:
        color === undefined
          ? { ...diverging(values), legend: false }
          : { domain: [...new Set(bars.map((bar) => String(bar.color)))].sort() },
      marks: [
        Plot.barX(bars, { x: "value", y: "row", fill }),
        Plot.ruleX([0], { strokeOpacity: 0.6 }),
        Plot.text(
          bars.filter(({ value }) => value >= 0),
          { x: "value", y: "row", text: "text", textAnchor: "start", dx: 5 },
        ),
        Plot.text(
          bars.filter(({ value }) => value < 0),
          { x: "value", y: "row", text: "text", textAnchor: "end", dx: -5 },
        ),
      ],
    }),
    { ...frame, ...noteWith(frame.note, leftOut) },
  );
}

/** A bigint with all its digits, which no number has. */
function textOf(given: unknown, value: number, digits: number): string {
  return formatNumber(typeof given === "bigint" ? given : value, digits);
}
