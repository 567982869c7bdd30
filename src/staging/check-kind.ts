import { errorValue } from "../contract/error-value.js";
import { IngestError } from "../contract/errors.js";
import { shown } from "../contract/shown-value.js";
import type { SliceItem } from "../contract/slice/slice-item.js";

/** Asserts that an item has what its kind says. @throws IngestError `item_invalid` */
export function checkKind(item: SliceItem): void {
  const given = item as { readonly kind?: unknown; readonly record?: unknown; readonly raw?: unknown } | null;
  const kind = given?.kind;
  if ((kind === "record" || kind === "raw") && typeof given?.[kind] === "object" && given[kind] !== null)
    return;
  const problem =
    kind === "record" || kind === "raw"
      ? `an item of kind "${kind}" has no object \`${kind}\``
      : `the kind of an item is ${shown(kind)}, it must be "record" or "raw"`;
  throw new IngestError("item_invalid", problem, {
    value: errorValue(item),
    remedy: 'write { kind: "record", record } or { kind: "raw", raw }',
  });
}
