/** Tables, comment trees and charts for notebooks. @module mirrorlake/notebook */
export { type BarChartOptions, barChart } from "./notebook/bar-chart.js";
export {
  type ChartOptions,
  type DivergingOptions,
  type DivergingScale,
  diverging,
  plotChart,
} from "./notebook/chart.js";
export type { Column } from "./notebook/columns.js";
export type { CommentLike } from "./notebook/comment-tree.js";
export type { ColumnKind } from "./notebook/format-value.js";
export { type LineChartOptions, lineChart } from "./notebook/line-chart.js";
export type {
  PlotAccessor,
  PlotFunction,
  PlotFunctionName,
  PlotLibrary,
  PlotOption,
  PlotScale,
  PlotScaleName,
  PlotScaleOption,
  PlotSettings,
  PlotValue,
} from "./notebook/plot-library.js";
export { type Projection, projectVectors } from "./notebook/project-vectors.js";
export { type ScatterChartOptions, scatterChart } from "./notebook/scatter-chart.js";
export { type TableOptions, table } from "./notebook/table.js";
export { type CommentsLike, type TreeOptions, tree } from "./notebook/tree.js";
export { displayIn, JUPYTER_DISPLAY, type KernelDisplay, type View } from "./notebook/view.js";
