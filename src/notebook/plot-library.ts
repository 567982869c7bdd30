/*
 * The types of Observable Plot need those of the DOM and of D3, so they are not the package's: a program that checks every library
 * compiles without them. These say what there is; what each function takes is said by Plot's own.
 */

/** A function that reads a datum, or formats a tick. */
// biome-ignore lint/suspicious/noExplicitAny: what a datum is, only the caller knows
export type PlotAccessor = (datum: any, index: number, ...more: unknown[]) => unknown;

/** What functions and options of Plot take: data, channels, options, marks. */
export type PlotValue =
  | string
  | number
  | bigint
  | boolean
  | symbol
  | null
  | undefined
  | PlotAccessor
  | { readonly [option: string]: PlotValue }
  | object;

/** A function of Plot: a mark, a transform, a reader, a formatter. */
// biome-ignore lint/suspicious/noExplicitAny: a mark, options or a text, as the function is
export type PlotFunction = (...values: PlotValue[]) => any;

/**
 * The functions of {@link https://observablehq.com/plot | Observable Plot}. For all that Plot's own types say, name them:
 * `plotChart((Plot: typeof import("@observablehq/plot")) => …)`.
 */
export type PlotLibrary = { readonly [name in PlotFunctionName]: PlotFunction } & {
  /** Channels of the data themselves, and of their indexes. */
  readonly [name in "identity" | "indexOf"]: object;
};

/** Options of a scale of {@link PlotSettings}. */
export type PlotScale = { readonly [name in PlotScaleOption]?: PlotValue };

/** Options of Plot that draw a chart. */
export type PlotSettings = { readonly [name in PlotOption]?: PlotValue } & {
  readonly [name in PlotScaleName]?: PlotScale;
} & { readonly marks?: readonly PlotValue[] };

type Side = "" | "Top" | "Right" | "Bottom" | "Left";

/** Names of scales. */
export type PlotScaleName = "x" | "y" | "fx" | "fy" | "r" | "color" | "opacity" | "symbol" | "length";

/** Options of a chart beside its scales and marks. */
export type PlotOption =
  | `margin${Side}`
  | `inset${Side}`
  | "width"
  | "height"
  | "aspectRatio"
  | "style"
  | "className"
  | "title"
  | "subtitle"
  | "caption"
  | "figure"
  | "ariaLabel"
  | "ariaDescription"
  | "clip"
  | "projection"
  | "facet"
  | "clamp"
  | "nice"
  | "zero"
  | "round"
  | "align"
  | "padding"
  | "axis"
  | "grid"
  | "label"
  | "labelArrow";

/** Options of a scale. */
export type PlotScaleOption =
  | `inset${Side}`
  | "clamp"
  | "nice"
  | "zero"
  | "round"
  | "align"
  | "padding"
  | "axis"
  | "grid"
  | "label"
  | "labelArrow"
  | "type"
  | "domain"
  | "range"
  | "unknown"
  | "reverse"
  | "transform"
  | "interval"
  | "percent"
  | "scheme"
  | "interpolate"
  | "exponent"
  | "base"
  | "constant"
  | "n"
  | "quantiles"
  | "pivot"
  | "symmetric"
  | "paddingInner"
  | "paddingOuter"
  | "legend"
  | "ticks"
  | "tickSize"
  | "tickSpacing"
  | "tickPadding"
  | "tickFormat"
  | "tickRotate"
  | "fontVariant"
  | "ariaLabel"
  | "ariaDescription"
  | "labelAnchor"
  | "labelOffset"
  | "line";

/** Names of the functions of Plot 0.6. */
export type PlotFunctionName =
  | "area"
  | "areaX"
  | "areaY"
  | "arrow"
  | "auto"
  | "autoSpec"
  | "axisFx"
  | "axisFy"
  | "axisX"
  | "axisY"
  | "barX"
  | "barY"
  | "bin"
  | "binX"
  | "binY"
  | "bollinger"
  | "bollingerX"
  | "bollingerY"
  | "boxX"
  | "boxY"
  | "cell"
  | "cellX"
  | "cellY"
  | "centroid"
  | "circle"
  | "cluster"
  | "column"
  | "contour"
  | "crosshair"
  | "crosshairX"
  | "crosshairY"
  | "delaunayLink"
  | "delaunayMesh"
  | "density"
  | "differenceX"
  | "differenceY"
  | "dodgeX"
  | "dodgeY"
  | "dot"
  | "dotX"
  | "dotY"
  | "filter"
  | "find"
  | "formatIsoDate"
  | "formatMonth"
  | "formatNumber"
  | "formatWeekday"
  | "frame"
  | "geo"
  | "geoCentroid"
  | "graticule"
  | "gridFx"
  | "gridFy"
  | "gridX"
  | "gridY"
  | "group"
  | "groupX"
  | "groupY"
  | "groupZ"
  | "hexagon"
  | "hexbin"
  | "hexgrid"
  | "hull"
  | "image"
  | "initializer"
  | "interpolateNearest"
  | "interpolateNone"
  | "interpolatorBarycentric"
  | "interpolatorRandomWalk"
  | "legend"
  | "line"
  | "lineX"
  | "lineY"
  | "linearRegressionX"
  | "linearRegressionY"
  | "link"
  | "map"
  | "mapX"
  | "mapY"
  | "marks"
  | "normalize"
  | "normalizeX"
  | "normalizeY"
  | "numberInterval"
  | "plot"
  | "pointer"
  | "pointerX"
  | "pointerY"
  | "raster"
  | "rect"
  | "rectX"
  | "rectY"
  | "reverse"
  | "ruleX"
  | "ruleY"
  | "scale"
  | "select"
  | "selectFirst"
  | "selectLast"
  | "selectMaxX"
  | "selectMaxY"
  | "selectMinX"
  | "selectMinY"
  | "shiftX"
  | "shiftY"
  | "shuffle"
  | "sort"
  | "sphere"
  | "spike"
  | "stackX"
  | "stackX1"
  | "stackX2"
  | "stackY"
  | "stackY1"
  | "stackY2"
  | "text"
  | "textX"
  | "textY"
  | "tickX"
  | "tickY"
  | "timeInterval"
  | "tip"
  | "transform"
  | "tree"
  | "treeLink"
  | "treeNode"
  | "utcInterval"
  | "valueof"
  | "vector"
  | "vectorX"
  | "vectorY"
  | "voronoi"
  | "voronoiMesh"
  | "waffleX"
  | "waffleY"
  | "window"
  | "windowX"
  | "windowY";
