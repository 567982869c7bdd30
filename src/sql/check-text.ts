import { SqlError } from "../contract/errors.js";
import { formatCount } from "../contract/quantity.js";
import { SQL_DEFAULTS } from "./defaults.js";

const { textCharacters, textNesting, textParts } = SQL_DEFAULTS;

/** Text in which brackets and words do not count: strings, quoted names, comments, dollar quotes. */
const QUOTED =
  /\be'(?:[^'\\]|\\[\s\S]|'')*(?:'|$)|'[^']*(?:''[^']*)*(?:'|$)|"[^"]*(?:""[^"]*)*(?:"|$)|--[^\n\r]*|\/\*[\s\S]*?(?:\*\/|$)|(\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$)[\s\S]*?(?:\1|$)/gi;

/** Words that each add a level to the syntax tree, or a query to it. */
const PARTS = /\b(?:union|except|intersect|join|select|from|case|not)\b/gi;

/**
 * Refuses a text that the engine's parser would recurse too deep for, before the engine sees it.
 * @throws SqlError `sql_refused`; `sql_syntax` for brackets within brackets
 */
export function checkText(text: string): void {
  if (text.includes("\0")) throw refused("NUL characters", text, "remove the NUL character");
  if (text.length > textCharacters)
    throw refused(
      `more than ${formatCount(textCharacters)} characters`,
      text.length,
      "pass values as parameters",
    );
  const bare = text.replace(QUOTED, " ");
  let parts = 0;
  for (const _ of bare.matchAll(PARTS)) if (++parts > textParts) break;
  if (parts > textParts) {
    const most = `more than ${formatCount(textParts)} parts such as SELECT, JOIN and UNION`;
    throw refused(most, parts, "ask in several queries, or join a list: FROM unnest(?)");
  }
  let depth = 0;
  for (const bracket of bare.replace(/[^()[\]{}]/g, "")) {
    depth += "([{".includes(bracket) ? 1 : -1;
    if (depth > textNesting) {
      throw new SqlError("sql_syntax", `The query has brackets nested more than ${textNesting} deep`, {
        value: depth,
        remedy: "name parts of it in a WITH clause",
      });
    }
  }
}

function refused(what: string, value: unknown, remedy: string): SqlError {
  return new SqlError("sql_refused", `Queries over a lake may not have ${what}`, { value, remedy });
}
