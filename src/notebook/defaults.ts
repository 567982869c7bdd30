/** Rows of a table that are shown. */
export const TABLE_ROWS = 20;
/** Top-level comments of a tree that are shown. */
export const TREE_COMMENTS = 20;
/** Levels of replies that are open at first. */
export const TREE_OPEN_LEVELS = 2;
/** Width of a chart in CSS pixels; it shrinks with the page. */
export const CHART_WIDTH = 760;
/** Height of a chart in CSS pixels. */
export const CHART_HEIGHT = 380;
/** Size of text in charts, in CSS pixels. */
export const CHART_FONT_SIZE = 12;
/** Lines of a line chart that are drawn: as many as names fit beside each other at its height. */
export const CHART_LINES = 20;
