/** Default number of rows shown in a table. */
export const TABLE_ROWS = 20;
/** Default number of top-level comments shown in a tree. */
export const TREE_COMMENTS = 20;
/** Levels of replies that are open initially. */
export const TREE_OPEN_LEVELS = 2;
/** Width of a chart in CSS pixels; it shrinks with the page. */
export const CHART_WIDTH = 760;
/** Height of a chart in CSS pixels. */
export const CHART_HEIGHT = 380;
/** Size of text in charts, in CSS pixels. */
export const CHART_FONT_SIZE = 12;
/** Default number of lines in a chart: as many as labels fit at its height. */
export const CHART_LINES = 20;
