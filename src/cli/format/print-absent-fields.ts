import { didYouMean, nearestName } from "../../contract/nearest-name.js";
import { fieldNames } from "../../contract/service/field-names.js";
import { type Selection, wantsField } from "../../contract/service/selection.js";
import { UnifiedRecord } from "../../contract/service/unified-record.js";
import { terminalLine } from "../../contract/terminal-text.js";
import type { CliContext } from "../context.js";

/**
 * Says on standard error which of the chosen fields nothing in an answer has, since a name may be mistyped. Of fields that are omitted too it
 * says nothing.
 * @param data the answer's: records, a page of items, or one thing
 * @param records whether names of the unified record may be meant
 */
export function printAbsentFields(
  { err }: CliContext,
  data: unknown,
  { fields = [], omit }: Selection,
  records: boolean,
): void {
  const items = itemsOf(data);
  if (items.length === 0) return;
  const absent = fields.filter((name) => {
    const path = name.split(".");
    return wantsField({ omit }, path[0]!) && !items.some((item) => has(item, path));
  });
  for (const name of absent) {
    const meant = records ? nearestName(name, fieldNames(UnifiedRecord)) : undefined;
    const noun = records ? "result" : "item";
    err.write(terminalLine(`Hint: no ${noun} has ${JSON.stringify(name)}${didYouMean(meant)}`));
    err.write("\n");
  }
}

function itemsOf(data: unknown): readonly unknown[] {
  if (Array.isArray(data)) return data;
  if (typeof data !== "object" || data === null) return [];
  return "items" in data && Array.isArray(data.items) ? data.items : [data];
}

function has(value: unknown, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined) return true;
  if (Array.isArray(value)) return value.some((element) => has(element, [name, ...rest]));
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return false;
  return has((value as Readonly<Record<string, unknown>>)[name], rest);
}
