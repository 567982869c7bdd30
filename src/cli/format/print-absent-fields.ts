import { didYouMean, nearestName } from "../../contract/nearest-name.js";
import { fieldNames, hasField, selectedItems } from "../../contract/service/answer-fields.js";
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
  const items = selectedItems(data);
  if (items.length === 0) return;
  const absent = fields.filter((name) => {
    const path = name.split(".");
    return wantsField({ omit }, path[0]!) && !items.some((item) => hasField(item, path));
  });
  for (const name of absent) {
    const meant = records ? nearestName(name, fieldNames(UnifiedRecord)) : undefined;
    const noun = records ? "result" : "item";
    err.write(terminalLine(`Hint: no ${noun} has ${JSON.stringify(name)}${didYouMean(meant)}`));
    err.write("\n");
  }
}
