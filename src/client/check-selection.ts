import { UsageError } from "../contract/errors.js";
import { didYouMean, nearestName } from "../contract/nearest-name.js";
import {
  fieldNames,
  hasField,
  mayBePage,
  selectedItems,
  selectedSchema,
  unknownField,
} from "../contract/service/answer-fields.js";
import type { EndpointSpec } from "../contract/service/endpoint.js";
import { type Selection, selectData } from "../contract/service/selection.js";
import { UnifiedRecord } from "../contract/service/unified-record.js";
import type { TransportResponse } from "./answer.js";

/** The part of a row that says what its answers have; without a schema they may have anything. */
type Answered = Pick<EndpointSpec, "id"> & Partial<Pick<EndpointSpec, "data">>;

/**
 * Refuses a selection that leaves nothing of any item, because a name is not known and is like one that is: a shape that is open says so only
 * once it is answered. Fields that are known may be absent.
 * @throws UsageError `invalid_options`
 */
export function refuseNothing({ id, data }: Answered, answered: unknown, { fields }: Selection): void {
  const items = selectedItems(answered);
  if (fields === undefined || items.length === 0) return;
  if (items.some((item) => fields.some((name) => hasField(item, name.split("."))))) return;
  const present = items.flatMap((item) => Object.keys(item ?? {}));
  const known = new Set([...(data === undefined ? [] : fieldNames(selectedSchema(data))), ...present]);
  for (const name of fields) {
    const meant = known.has(name.split(".")[0]!) ? undefined : nearestName(name, known);
    if (meant === undefined) continue;
    throw new UsageError(
      "invalid_options",
      `${id}: no item has the field ${JSON.stringify(name)}${didYouMean(meant)}`,
      { value: name, remedy: `the items have ${[...new Set(present)].join(", ")}; the call was made` },
    );
  }
}

/**
 * Refuses a selection that names a field which no record or item of the endpoint's answers has, before the call is made: an answer of
 * empty objects would be charged. An endpoint without a schema, and a shape that is open, may have any field.
 * @throws UsageError `invalid_options`
 */
export function checkSelection({ id, data }: Answered, selection: Selection): void {
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

/**
 * Refuses to read an endpoint page by page whose answers are no pages, before a call is made that would be charged. An endpoint without a
 * schema may have any.
 * @throws UsageError `not_a_page`
 */
export function refuseSingle({ id, data }: Answered): void {
  if (data === undefined || mayBePage(data)) return;
  throw new UsageError("not_a_page", `${id} is no list with a cursor: all of it comes in one answer`, {
    value: id,
    remedy: "Use call() for it, without --all on the command line; pages() and items() are for lists.",
  });
}

/**
 * Drops the fields of a successful answer that its caller does not want.
 * @throws UsageError `invalid_options` as {@link refuseNothing} says
 */
export function selectFields(
  response: TransportResponse,
  target: Answered,
  selection: Selection,
): TransportResponse {
  const { status, body } = response;
  if (status !== 200 || typeof body !== "object" || body === null || !("data" in body)) return response;
  refuseNothing(target, body.data, selection);
  return { ...response, body: { ...body, data: selectData(body.data, selection) } };
}
