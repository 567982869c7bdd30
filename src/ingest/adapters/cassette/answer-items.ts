import { shownRequest } from "../../../cassette/canonical-request.js";
import type { RecordedCall } from "../../../cassette/recorded-call.js";
import type { JsonObject } from "../../../contract/json.js";
import type { EndpointSpec } from "../../../contract/service/endpoint.js";
import {
  CreatorGraphOptions,
  CreatorOptions,
  DetailOptions,
  ListOptions,
  PricePathOptions,
  RankingOptions,
} from "../../../contract/service/operations.js";
import type { NewRecord } from "../../../contract/slice/slice-item.js";
import type { Run } from "../../mapping/run.js";
import { FieldError } from "../../values/field-error.js";
import { type AnsweredRaw, rawOf, withoutUnknown } from "./answered-raw.js";
import { foundRecord, listedRecord, shownRecord } from "./answered-record.js";

/** How much an answer says about a record: a search shows it whole, a list in the raw shape, a raw answer in part. */
export type RecordRank = 0 | 1 | 2;

/** A record of an answer. */
export interface AnsweredRecord {
  readonly kind: "record";
  readonly record: NewRecord;
  readonly vector?: Float32Array | undefined;
  readonly rank: RecordRank;
}

/** An item of an answer. */
export type AnsweredItem = AnsweredRecord | AnsweredRaw;

/** An answer in the making of its items. */
export interface Answer {
  readonly row: EndpointSpec;
  readonly run: Run;
  /** Parameters of the request, as text. */
  readonly params: Readonly<Record<string, string>>;
  /** Capture of items that have none: what the answer says, else when it was recorded. */
  readonly capturedAt: string;
  /** Numbers of comments that the source did not know, where the answer has 0. */
  readonly unknown: readonly string[];
}

type Items = readonly AnsweredItem[] | { readonly unused: string };
type Reader = (data: JsonObject, answer: Answer) => Items;

/**
 * The items that an answer with status 200 shows, or why it has none.
 * @throws FieldError if the answer has another shape than its endpoint's
 */
export function itemsOfAnswer({ at, request, response }: RecordedCall, row: EndpointSpec, run: Run): Items {
  const body = objectOf(response.json, "");
  const read = READERS[row.operation];
  if (read === undefined) return { unused: `${row.operation}: figures that a lake computes itself` };
  if (body.data === null || body.data === undefined) return { unused: "empty answer" };
  const data: JsonObject = Array.isArray(body.data) ? { items: body.data } : objectOf(body.data, "data");
  const prov = data.prov as { readonly ts?: unknown } | undefined;
  const items = read(data, {
    row,
    run,
    params: paramsOf(request),
    capturedAt: typeof prov?.ts === "string" ? prov.ts : at,
    unknown: (response.headers["x-mirrorlake-unknown"] ?? "").split(",").filter((name) => name !== ""),
  });
  return "unused" in items || items.length > 0 ? items : { unused: "empty answer" };
}

const READERS: Readonly<Record<string, Reader>> = {
  search: (data, answer) => itemsIn(data).map((item) => foundRecord(item, answer)),
  records: (data, answer) => itemsIn(data).map((item) => listedRecord(item, answer)),
  detail: (data, answer) => {
    const { resource, id } = DetailOptions.parse(answer.row.options);
    return shown(data, answer, resource, answer.params[id]);
  },
  "raw-video": (data, answer) => shown(data, answer, "video", answer.params.item_id),
  "raw-comments": (data, answer) =>
    itemsIn(data).map((item, i) =>
      rawOf(item, answer, {
        resource: "comment",
        parent: answer.params.item_id,
        place: -(offset(answer) + i),
      }),
    ),
  list: (data, answer) => {
    const options = ListOptions.parse(answer.row.options);
    const named = (name: string | undefined) => (name === undefined ? undefined : answer.params[name]);
    // In an order by score the place says what the score is, where the item has no number.
    const isByScore = (answer.params.sort ?? options.sort) === "top";
    return itemsIn(data).flatMap((item, i) => {
      const one = rawOf(item, answer, {
        resource: options.resource,
        parent: named(options.parent),
        author: named(options.author),
        reply_to: named(options.reply_to),
        place: isByScore ? -(offset(answer) + i) : undefined,
      });
      return [one, ...shownRecord(item, answer)];
    });
  },
  ranking: (data, answer) => {
    const { resource } = RankingOptions.parse(answer.row.options);
    return itemsIn(data).flatMap(({ item: given, value }) => {
      const item = objectOf(given, "data.items[].item");
      if (resource === undefined) return [listedRecord(item, answer)];
      const score = typeof value === "number" ? value : undefined;
      return [rawOf(item, answer, { resource, score }), ...shownRecord(item, answer)];
    });
  },
  creator: (data, answer) => {
    const { resource, id } = CreatorOptions.parse(answer.row.options);
    const { items_held: _, prov: _prov, ...profile } = data;
    return [rawOf(profile, answer, { resource, id: answer.params[id], author: answer.params[id] })];
  },
  "creator-graph": (data, answer) => {
    const { resource, id } = CreatorGraphOptions.parse(answer.row.options);
    const parent = answer.params[id];
    const list = listIn(data, "nodes");
    const nodes = new Map(list.map((node, place) => [String(node.id), { node, place }]));
    return listIn(data, "edges").map((edge) => {
      const other = String(edge.from === parent ? edge.to : edge.from);
      const { node = {}, place = list.length } = nodes.get(other) ?? {};
      const { id: _, ...profile } = node;
      const key = { resource, id: `${edge.from}:${edge.to}:${edge.kind}`, parent, author: other };
      return rawOf({ ...profile, ...edge }, answer, { ...key, score: list.length - place });
    });
  },
  "price-path": (data, answer) => {
    const { resource, id } = PricePathOptions.parse(answer.row.options);
    const parent = answer.params[id];
    return listIn(data, "series").flatMap((series) =>
      listIn(series, "points").map((point) => {
        const place = [parent, point.location ?? "", point.currency, point.ts].join(":");
        return rawOf(point, answer, { resource, id: place, parent, score: Number(point.current) });
      }),
    );
  },
};

/** One whole thing: the raw item, and the record that it shows. */
function shown(data: JsonObject, answer: Answer, resource: string, id: string | undefined): Items {
  const known = withoutUnknown(data, answer.unknown);
  return [rawOf(known, answer, { resource, id }), ...shownRecord(known, answer)];
}

const itemsIn = (data: JsonObject) => listIn(data, "items");

function listIn(data: JsonObject, name: string): readonly JsonObject[] {
  const list = data[name];
  if (!Array.isArray(list)) throw new FieldError(`data.${name}`, "is not a list", list);
  return list.map((item) => objectOf(item, `data.${name}[]`));
}

function objectOf(value: unknown, field: string): JsonObject {
  if (value === null || typeof value !== "object" || Array.isArray(value))
    throw new FieldError(field, "is not an object", value);
  return value as JsonObject;
}

/** The parameters of a request: those of its query, or the members of its body. */
function paramsOf(request: RecordedCall["request"]): Record<string, string> {
  const { query = {}, body } = shownRequest(request);
  const params: Record<string, string> = {};
  for (const [name, values] of Object.entries(query)) if (values[0] !== undefined) params[name] = values[0];
  if (body === null || typeof body !== "object" || Array.isArray(body)) return params;
  for (const [name, value] of Object.entries(body)) params[name] = String(value);
  return params;
}

function offset({ params }: Answer): number {
  const cursor = Number(params.cursor ?? 0);
  return Number.isSafeInteger(cursor) ? cursor : 0;
}
