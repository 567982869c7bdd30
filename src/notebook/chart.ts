import type * as Plot from "@observablehq/plot";
import { z } from "zod";
import { checkArgument, checkOptions, optionsSchema } from "../contract/check-options.js";
import { UsageError } from "../contract/errors.js";
import { CallbackOption } from "../contract/option-schemas.js";
import { chartShape } from "./chart-shape.js";
import { CHART_FONT_SIZE, CHART_HEIGHT, CHART_WIDTH } from "./defaults.js";
import { legendOf } from "./legend.js";
import { html } from "./markup.js";
import { CATEGORY_COLORS, divergingColor } from "./palette.js";
import type { PlotLibrary, PlotSettings } from "./plot-library.js";
import { SvgDocument, type SvgElement } from "./svg-document.js";
import { createView, type View } from "./view.js";

/** Options of every chart. */
export interface ChartOptions {
  /** Title above the chart, also its text alternative. */
  readonly title?: string;
  readonly subtitle?: string;
  /** Note under the chart: source, method, caveats. */
  readonly note?: string;
  /** CSS pixels (760 × 380 by default); a chart shrinks with its page. */
  readonly width?: number;
  readonly height?: number;
}

/** Options of a diverging colour scale: `color: diverging(rows.map((row) => row.score), { label: "tone" })`. */
export interface DivergingOptions {
  readonly label?: string;
  readonly middle?: number;
}

/** Options of a colour scale around a middle. */
export interface DivergingScale {
  readonly type: "linear";
  readonly domain: [low: number, high: number];
  readonly interpolate: (position: number) => string;
  readonly clamp: true;
  readonly label: string | undefined;
}

const OPTIONS = optionsSchema<ChartOptions>(chartShape);

/**
 * Draws a custom chart: `build` receives Observable Plot and returns its options. Colours, fonts and the legend are those of every
 * chart here. The same data gives the same bytes.
 * @typeParam Library What `build` is said to receive: the types of Plot itself, where a program has them.
 * @throws UsageError `plot_missing` if `@observablehq/plot` is not installed, `chart_needs_browser` for a mark that needs a browser
 */
export async function plotChart<Library extends object = PlotLibrary>(
  build: (plot: Library) => PlotSettings,
  options: ChartOptions = {},
): Promise<View> {
  checkArgument(CallbackOption, build, "build", "plotChart");
  checkOptions(OPTIONS, options, "plotChart");
  const plot = await loadPlot();
  const document = new SvgDocument();
  const { color = {}, ...own } = build(plot as object as Library) as Plot.PlotOptions;
  const { legend = true, ...colors } = color;
  const drawn = plot.plot({
    width: options.width ?? CHART_WIDTH,
    className: "ml-plot",
    ...own,
    ...(own.height === undefined && own.aspectRatio === undefined
      ? { height: options.height ?? CHART_HEIGHT }
      : {}),
    ariaLabel: options.title,
    ariaDescription: options.subtitle,
    color: { ...(isColored(colors) ? {} : { range: CATEGORY_COLORS }), ...colors },
    document,
  });
  const svg = drawn as unknown as SvgElement;
  svg.setAttribute("role", "img");
  svg.setAttribute("font-size", CHART_FONT_SIZE);
  const key =
    legend === false
      ? undefined
      : legendOf(drawn.scale("color"), typeof colors.label === "string" ? colors.label : undefined);
  const body = html`<div class="mirrorlake" role="figure">${
    options.title === undefined ? undefined : html`<div class="ml-title" dir="auto">${options.title}</div>`
  }${options.subtitle === undefined ? undefined : html`<div class="ml-subtitle" dir="auto">${options.subtitle}</div>`}${key}${svg.toMarkup()}${
    options.note === undefined ? undefined : html`<div class="ml-note" dir="auto">${options.note}</div>`
  }</div>`;
  const plain = [options.title ?? "chart", options.subtitle, options.note].filter(
    (line) => line !== undefined,
  );
  return createView(body, plain.join("\n"));
}

const ValuesOption = z.custom<Iterable<number>>(
  (value) => typeof value === "object" && value !== null && Symbol.iterator in value,
  "must be an array of numbers, or anything else that gives numbers",
);

const DIVERGING_OPTIONS = optionsSchema<DivergingOptions>(() => ({
  label: z.string().optional(),
  middle: z.number().optional(),
}));

/** Options of a colour scale around a middle (0 by default) that reaches equally far to both sides. */
export function diverging(values: Iterable<number>, options: DivergingOptions = {}): DivergingScale {
  checkArgument(ValuesOption, values, "values", "diverging");
  checkOptions(DIVERGING_OPTIONS, options, "diverging");
  const { label, middle = 0 } = options;
  let reach = 0;
  for (const value of values) if (Number.isFinite(value)) reach = Math.max(reach, Math.abs(value - middle));
  const end = reach === 0 ? 1 : reach;
  return {
    type: "linear",
    domain: [middle - end, middle + end],
    interpolate: divergingColor,
    clamp: true,
    label,
  };
}

function isColored({ range, scheme, interpolate }: Plot.ScaleOptions): boolean {
  return range !== undefined || scheme !== undefined || interpolate !== undefined;
}

async function loadPlot(): Promise<typeof Plot> {
  try {
    return await import("@observablehq/plot");
  } catch (cause) {
    throw new UsageError("plot_missing", "Charts are drawn by Observable Plot, which cannot be loaded", {
      value: "@observablehq/plot",
      remedy: "npm install @observablehq/plot",
      cause,
    });
  }
}
