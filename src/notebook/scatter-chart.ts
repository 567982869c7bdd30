import { z } from "zod";
import { checkOptions, optionsSchema } from "../contract/check-options.js";
import { FlagOption, TextOption } from "../contract/option-schemas.js";
import { type ChartOptions, diverging, plotChart } from "./chart.js";
import { axisValue, categories, chartData, noteWith, withUnit } from "./chart-data.js";
import { chartShape } from "./chart-shape.js";
import { CATEGORY_COLORS, OTHER_COLOR } from "./palette.js";
import type { View } from "./view.js";

/** Options of {@link scatterChart}. */
export interface ScatterChartOptions extends ChartOptions {
  readonly x: string;
  readonly y: string;
  /** Column that colours the dots: categories by swatch (beyond ten, the rarest are `other`), numbers around zero by ramp. */
  readonly color?: string;
  /** Column of names, shown on hover. */
  readonly label?: string;
  readonly xLabel?: string;
  readonly yLabel?: string;
  readonly xUnit?: string;
  readonly yUnit?: string;
  /**
   * For maps: no ticks, because the coordinates have no meaning, and one scale for both axes, because distances do; the height
   * follows from the width.
   */
  readonly bare?: boolean;
}

const OTHER = "other";

const OPTIONS = optionsSchema<ScatterChartOptions>(() => ({
  ...chartShape(),
  x: TextOption,
  y: TextOption,
  color: TextOption.optional(),
  label: TextOption.optional(),
  xLabel: z.string().optional(),
  yLabel: z.string().optional(),
  xUnit: z.string().optional(),
  yUnit: z.string().optional(),
  bare: FlagOption.optional(),
}));

/**
 * One dot per row.
 * @throws UsageError `unknown_column`, `not_a_number`, `plot_missing`
 */
export async function scatterChart(data: unknown, options: ScatterChartOptions): Promise<View> {
  checkOptions(OPTIONS, options, "scatterChart");
  const { x, y, color, label, xLabel, yLabel, xUnit, yUnit, bare = false, ...frame } = options;
  const { rows, ...leftOut } = chartData(data, color === undefined ? [x, y] : [x, y, color]);
  const numeric =
    color !== undefined && rows.length > 0 && rows.every((row) => typeof row[color] === "number");
  const names = color === undefined || numeric ? [] : categories(rows, color, CATEGORY_COLORS.length);
  const nameOf = (value: unknown) => (names.includes(String(value)) ? String(value) : OTHER);
  const dots = rows.map((row) => ({
    x: axisValue(row, x),
    y: axisValue(row, y),
    color: color === undefined ? undefined : numeric ? row[color] : nameOf(row[color]),
    label: label === undefined ? undefined : String(row[label] ?? ""),
  }));
  const hasOther = dots.some((dot) => dot.color === OTHER && !names.includes(OTHER));
  const axis = bare ? { ticks: [] } : { grid: true };
  return plotChart(
    (Plot) => ({
      ...(bare && frame.height === undefined ? { aspectRatio: 1 } : {}),
      marginTop: 28,
      marginBottom: bare ? 26 : 40,
      marginLeft: bare ? 20 : 56,
      inset: 10,
      x: { label: withUnit(xLabel ?? x, xUnit), labelAnchor: "right", ...axis },
      y: { label: withUnit(yLabel ?? y, yUnit), ...axis },
      color: numeric
        ? diverging(
            dots.map((dot) => Number(dot.color)),
            { label: color! },
          )
        : {
            domain: hasOther ? [...names, OTHER] : names,
            range: [...CATEGORY_COLORS.slice(0, names.length), ...(hasOther ? [OTHER_COLOR] : [])],
          },
      marks: [
        ...(bare ? [Plot.frame({ strokeOpacity: 0.25 })] : []),
        Plot.dot(dots, {
          x: "x",
          y: "y",
          r: 3.6,
          fill: color === undefined ? CATEGORY_COLORS[0]! : "color",
          fillOpacity: 0.78,
          title: label === undefined ? undefined : "label",
        }),
      ],
    }),
    { ...frame, ...noteWith(frame.note, leftOut) },
  );
}
