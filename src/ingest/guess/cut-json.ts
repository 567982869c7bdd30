import { endOfString, parseWithNaN } from "../readers/json-text.js";

/**
 * What there is of a JSON document that is cut off: all up to the last comma, with what is open there closed. Undefined where nothing
 * is whole, or the text is no JSON.
 */
export function parseCutJson(text: string): unknown {
  const mark = /["{}[\],]/g;
  let closing = "";
  let end = 0;
  let closed = "";
  for (let match = mark.exec(text); match !== null; match = mark.exec(text)) {
    const [c] = match;
    if (c === '"') mark.lastIndex = endOfString(text, match.index) + 1;
    else if (c === "{") closing = `}${closing}`;
    else if (c === "[") closing = `]${closing}`;
    else if (c !== ",") closing = closing.slice(1);
    else {
      end = match.index;
      closed = closing;
    }
  }
  try {
    return parseWithNaN(text.slice(0, end) + closed);
  } catch {
    return undefined; // nothing is whole, or it is malformed, which its reader says
  }
}
