import { UsageError } from "../contract/errors.js";
import type { EndpointSpec } from "../contract/service/endpoint.js";
import { fieldNames, selectedSchema, unknownField } from "../contract/service/field-names.js";
import type { Selection } from "../contract/service/selection.js";
import { UnifiedRecord } from "../contract/service/unified-record.js";

/**
 * Refuses a selection that names a field which no record or item of the endpoint's answers has, before the call is made: an answer of
 * empty objects would be charged. An endpoint without a schema, and a shape that is open, may have any field.
 * @throws UsageError `invalid_options`
 */
export function checkSelection(
  { id, data }: Pick<EndpointSpec, "id"> & Partial<Pick<EndpointSpec, "data">>,
  selection: Selection,
): void {
  if (data === undefined || (selection.fields === undefined && selection.omit === undefined)) return;
  const unknown = unknownField(selectedSchema(data), selection, fieldNames(UnifiedRecord));
  if (unknown === undefined) return;
  const { option, index, name, meant, known } = unknown;
  const asked = meant === undefined ? "" : `, did you mean ${JSON.stringify(meant)}?`;
  throw new UsageError(
    "invalid_options",
    `${id}: ${option}[${index}] is ${JSON.stringify(name)}, there is no such field${asked}`,
    { value: name, remedy: `the fields are ${known.join(", ")}` },
  );
}
