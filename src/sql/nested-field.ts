import { SQL_VIEWS } from "./views.js";

/** A field inside another, as JSON of a record has it. Quoted texts are passed over. */
const NESTED = /'(?:[^']|'')*'|(?<![\w."])([a-z_]+)\.([a-z_0-9]+)(?![\w(])/gi;

/**
 * The remedy of a query that names a field as JSON has it, such as `price.current`, where the views have a column of its own,
 * `price_current`; undefined if that is not what is wrong.
 * @param message of the engine
 */
export function nestedFieldRemedy(text: string, message: string): string | undefined {
  // The lines that follow have the query.
  const said = message.split("\n", 1)[0]!.toLowerCase();
  for (const [written, outer, inner] of text.matchAll(NESTED)) {
    if (outer === undefined) continue;
    const isNamed = [`"${outer}"`, written].some((name) => said.includes(name.toLowerCase()));
    if (!isNamed) continue;
    const column = `${outer}_${inner}`.toLowerCase();
    const view = SQL_VIEWS.find(({ columns }) => columns.some(({ name }) => name === column));
    if (view !== undefined)
      return `write ${column} for ${written}: what is inside a field of a record is a column of its own; \`mirrorlake sql --schema\` shows them`;
  }
  return undefined;
}
