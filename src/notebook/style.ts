import { Markup } from "./markup.js";

/**
 * CSS rules of a view. Colours derive from the page: text is `currentColor` at several strengths, lines and bars are translucent
 * greys and blues, so a view fits light and dark pages. The class is tripled so that the rules have a higher specificity than a
 * notebook's rules for tables.
 */
const RULES: readonly (readonly [selector: string, declarations: string])[] = [
  [
    "",
    "margin:.4em 0 1em;font:13px/1.45 system-ui,-apple-system,'Segoe UI',sans-serif;text-align:start;max-width:100%",
  ],
  [".ml-title", "font-size:15px;font-weight:600;line-height:1.35;margin:0 0 2px"],
  [".ml-subtitle", "opacity:.72;margin:0 0 8px;max-width:46em"],
  [".ml-note", "opacity:.65;font-size:12px;margin:6px 0 0;max-width:56em"],
  [".ml-scroll", "overflow-x:auto;max-width:100%"],
  [
    "table",
    "border-collapse:collapse;border:0;margin:0;font-size:13px;table-layout:auto;width:auto;display:table",
  ],
  ["thead", "border:0"],
  ["tr", "background:none;border:0"],
  [
    "th,td",
    "padding:5px 14px 5px 0;border:0;text-align:start;vertical-align:baseline;white-space:normal;max-width:32em;background:none;font-weight:400",
  ],
  ["th:last-child,td:last-child", "padding-inline-end:4px"],
  [
    "thead th",
    "font-size:12px;font-weight:600;vertical-align:bottom;white-space:nowrap;border-bottom:1.5px solid rgb(128 128 128/.65);padding-bottom:4px",
  ],
  ["tbody tr", "border-bottom:1px solid rgb(128 128 128/.22)"],
  ["tbody tr:hover", "background:rgb(128 128 128/.09)"],
  ["tbody th", "font-weight:600;white-space:nowrap;opacity:.8"],
  [".ml-unit", "font-weight:400;opacity:.65"],
  ["th.ml-number,td.ml-number", "text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap"],
  ["td.ml-time", "font-variant-numeric:tabular-nums;white-space:nowrap"],
  ["td.ml-short", "white-space:nowrap"],
  ["td.ml-id", "font:12px/1.6 ui-monospace,'SF Mono',Menlo,Consolas,monospace;opacity:.7;white-space:nowrap"],
  ["td.ml-text", "min-width:12em;overflow-wrap:anywhere;unicode-bidi:isolate"],
  ["td.ml-record", "min-width:18em"],
  ["td.ml-figures", "min-width:17em;font-variant-numeric:tabular-nums"],
  [
    ".ml-clamp",
    "display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:3;overflow:hidden;white-space:pre-line",
  ],
  [".ml-sub", "opacity:.68;font-size:12px;-webkit-line-clamp:2"],
  [".ml-none", "opacity:.35"],
  ["td.ml-bar", "min-width:15em;position:relative"],
  [
    ".ml-fill",
    "position:absolute;top:5px;height:1.4em;background:rgb(66 105 208/.4);border-radius:2px;pointer-events:none",
  ],
  [".ml-fill.ml-down", "background:rgb(217 120 40/.42)"],
  [".ml-over", "position:relative;padding-inline-end:4px"],
  ["ul", "list-style:none;margin:0;padding:0"],
  [
    "ul ul",
    "margin-inline-start:6px;padding-inline-start:16px;border-inline-start:1.5px solid rgb(128 128 128/.3)",
  ],
  ["li", "margin:0;padding:5px 0"],
  ["ul.ml-tree>li", "padding:8px 0;border-bottom:1px solid rgb(128 128 128/.22);max-width:52em"],
  [".ml-who", "font-size:12px;opacity:.72;display:flex;flex-wrap:wrap;column-gap:.9em;align-items:baseline"],
  [".ml-who b", "font-weight:600"],
  [".ml-count", "font-variant-numeric:tabular-nums"],
  [
    ".ml-badge",
    "border:1px solid rgb(217 120 40/.8);border-radius:3px;padding:0 4px;font-size:11px;line-height:1.35",
  ],
  [".ml-said", "white-space:pre-line;overflow-wrap:anywhere;unicode-bidi:isolate"],
  ["details", "margin:2px 0 0;padding:0;border:0"],
  ["summary", "cursor:pointer;font-size:12px;opacity:.72;padding:1px 0"],
  [".ml-legend", "display:flex;flex-wrap:wrap;gap:2px 14px;margin:0 0 6px;font-size:12px;align-items:center"],
  [".ml-legend span", "display:inline-flex;align-items:center;gap:5px"],
  [".ml-swatch", "width:11px;height:11px;border-radius:2px;flex:none"],
  ["svg", "display:block;max-width:100%;height:auto;overflow:visible"],
];

const ROOT = ".mirrorlake.mirrorlake.mirrorlake";

/** Style sheet of every view, for a `<style>` element beside it. */
export const STYLE: Markup = Markup.trusted(
  RULES.map(([selector, declarations]) => {
    const within = selector.split(",").map((part) => (part === "" ? ROOT : `${ROOT} ${part}`));
    return `${within.join(",")}{${declarations}}`;
  }).join("\n"),
);
