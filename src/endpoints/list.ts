import { ListOptions, ListSort } from "../contract/service/operations.js";
import type { RawQuery } from "../store/corpus.js";
import { findRawPage } from "./find-raw.js";
import {
  type CommonParams,
  createdWindowOf,
  type GenericParams,
  named,
  pageOfParams,
} from "./generic-params.js";
import type { Handler } from "./handler.js";
import { pageResult } from "./page.js";
import { recordIdHint } from "./record-id-hint.js";

const ORDERS: Readonly<Record<ListSort, Pick<RawQuery, "orderBy" | "descending">>> = {
  top: { orderBy: "score", descending: true },
  new: { orderBy: "created", descending: true },
  old: { orderBy: "created" },
  offset: { orderBy: "offset" },
};

/** Lists raw items of one resource: comments, replies, reviews, danmaku, a creator's works. */
export const list: Handler<GenericParams> = async (params, context) => {
  const { corpus, endpoint } = context;
  const options = ListOptions.parse(endpoint.options);
  const { q, lang, sort, ...rest } = params as CommonParams;
  const parent = named(params, options.parent);
  const author = named(params, options.author);
  const replyTo = named(params, options.reply_to) ?? (options.top_level ? null : undefined);
  const page = pageOfParams(rest);
  const { items, total } = await findRawPage(corpus, {
    platform: endpoint.platform!,
    resource: options.resource,
    parent,
    author,
    replyTo,
    text: q,
    lang,
    ...createdWindowOf(rest),
    ...ORDERS[ListSort.parse(sort ?? options.sort)],
    ...page,
  });
  const result = pageResult(
    { items: items.map(({ data }) => data), origins: items, offset: page.offset, total },
    context,
  );
  return total > 0
    ? result
    : { ...result, headers: { ...result.headers, ...recordIdHint(options.parent, parent, context) } };
};
