import { endOfString, parseWithNaN } from "../readers/json-text.js";

/**
 * What there is of a JSON document that is cut off: all up to the last comma, with what is open there closed. Undefined where nothing
 * is whole, or the text is no JSON.
 */
export function parseCutJson(text: string): unknown {
  let end = 0;
  forEachMark(text, (mark, at) => {
    if (mark === ",") end = at;
  });
  const whole = text.slice(0, end);
  const open: string[] = [];
  forEachMark(whole, (mark) => {
    if (mark === "{") open.push("}");
    else if (mark === "[") open.push("]");
    else if (mark !== ",") open.pop();
  });
  try {
    return parseWithNaN(whole + open.reverse().join(""));
  } catch {
    return undefined; // nothing is whole, or it is malformed, which its reader says
  }
}

/** Calls `use` with the brackets and commas of a JSON text that are outside of its strings. */
function forEachMark(text: string, use: (mark: string, at: number) => void): void {
  const mark = /["{}[\],]/g;
  for (let match = mark.exec(text); match !== null; match = mark.exec(text)) {
    if (match[0] === '"') mark.lastIndex = endOfString(text, match.index) + 1;
    else use(match[0], match.index);
  }
}
