import type { Json, JsonObject } from "../contract/json.js";
import type { Draft, NextCall, Row } from "./answer.js";
import { cite, isProvenance, type Provenance } from "./citation.js";
import { type Part, parsePart, restAt } from "./part-path.js";
import { plainJson } from "./plain-json.js";

/** A record of the service as a row: without its vector, with its provenance as a citation. */
export function recordRow(record: unknown, platform?: string, name?: string): Omit<Row, "partCall"> {
  const plain = plainJson(record);
  if (typeof plain !== "object" || plain === null || Array.isArray(plain))
    return { value: plain, cite: undefined };
  const { prov, ...rest } = plain as JsonObject;
  if (!isProvenance(prov)) return { value: plain, cite: undefined };
  const of = typeof rest.platform === "string" ? rest.platform : platform;
  const id = typeof rest.id === "string" ? rest.id : name;
  if (of === undefined || id === undefined) return { value: plain, cite: undefined };
  return { value: rest, cite: cite(of, id, prov) };
}

/** An item of a list as a row: it is cited by the list's provenance, its parent and its own id. */
export function itemRow(
  item: unknown,
  list: { readonly platform: string; readonly resource: string; readonly of: string; readonly prov: unknown },
): Omit<Row, "partCall"> {
  const own = recordRow(item);
  if (own.cite !== undefined) return own;
  const id = itemIdOf(own.value);
  if (id === undefined || !isProvenance(list.prov)) return own;
  return { ...own, cite: cite(list.platform, `${list.resource}:${list.of}:${id}`, list.prov as Provenance) };
}

/** The id of an item of a list: its `cid`, its `id`, or that of a creator; undefined if it has none without a space. */
export function itemIdOf(item: unknown): string | undefined {
  const { cid, id, creator_id } = (item ?? {}) as Readonly<Record<string, unknown>>;
  const found = [cid, id, creator_id].find((value) => typeof value === "string");
  return typeof found === "string" && /^\S+$/.test(found) ? found : undefined;
}

/** Rows of which the first `skip` were in an earlier answer, or one row of which a part is wanted. */
export function rowsFrom(
  all: readonly Omit<Row, "partCall">[],
  { skip = 0, part }: { readonly skip?: number | undefined; readonly part?: string | undefined },
  callOf: (at: JsonObject) => NextCall,
): Pick<Draft, "rows" | "part" | "after"> {
  const place: Part | undefined = part === undefined ? undefined : parsePart(part);
  const rows = all.slice(skip, place === undefined ? undefined : skip + 1).map((row, i): Row => {
    const partCall = (of: string) => callOf({ ...(skip + i === 0 ? {} : { skip: skip + i }), part: of });
    const value: Json = place === undefined ? row.value : restAt(row.value, place);
    return { ...row, value, partCall };
  });
  const after =
    place !== undefined
      ? undefined
      : (shown: number) => (shown < rows.length ? callOf({ skip: skip + shown }) : undefined);
  return { rows, part: place, after };
}
