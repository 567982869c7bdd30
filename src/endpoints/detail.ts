import { DetailOptions } from "../contract/service/operations.js";
import { findRaw } from "./find-raw.js";
import type { GenericParams } from "./generic-params.js";
import { named } from "./generic-params.js";
import type { Handler } from "./handler.js";
import { recordAnswer, recordOf } from "./record-answer.js";
import { recordIdHint } from "./record-id-hint.js";
import { withKnownNumbers } from "./unknown-numbers.js";

/**
 * Returns one item by its platform id: the raw item, or else the unified record with that platform id; null if the corpus
 * has neither (decisions.md, "Empty or missing").
 */
export const detail: Handler<GenericParams> = async (params, context) => {
  const { corpus, endpoint } = context;
  const options = DetailOptions.parse(endpoint.options);
  const id = named(params, options.id) ?? "";
  const item = await findRaw(corpus, endpoint.platform!, options.resource, id);
  if (item !== undefined) {
    const { items, headers } = withKnownNumbers([item.data]);
    return { data: items[0], empty: false, headers };
  }
  const record = await recordOf(id, context);
  if (record === undefined)
    return { data: null, empty: true, headers: recordIdHint(options.id, id, context) };
  return { data: recordAnswer(record, endpoint), empty: false };
};
