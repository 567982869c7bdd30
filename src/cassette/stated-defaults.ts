import { z } from "zod";
import type { Json } from "../contract/json.js";
import { CATALOGUE } from "../contract/service/catalogue.js";
import { Domain } from "../contract/service/platforms.js";
import type { CanonicalRequest } from "./canonical-request.js";
import { type ExactJson, Members, plainJson } from "./exact-json.js";

/**
 * The request without parameters that have the default which service.md states for them: the service sees the same call with and without
 * them. Defaults of assumed rows stay: the service's may be others.
 */
export function withoutStatedDefaults(request: CanonicalRequest): CanonicalRequest {
  const { method, path, query = {}, body } = request;
  const row = CATALOGUE.find((candidate) => candidate.path === path && candidate.method === method);
  if (row?.label !== "specified") return request;
  const defaults = defaultsOf(row.params);
  const kept = Object.entries(query).filter(
    ([name, values]) => values.length !== 1 || values[0] !== String(defaults.get(name)),
  );
  return {
    method,
    path,
    query: kept.length === 0 ? undefined : Object.fromEntries(kept),
    body: body instanceof Members ? without(body, defaults) : body,
  };
}

function without({ entries }: Members, defaults: ReadonlyMap<string, Json>): ExactJson {
  return new Members(
    entries.filter(([name, value]) => {
      const plain = plainJson(value);
      if (name === "domains") return !areAllDomains(plain);
      return !defaults.has(name) || plain !== defaults.get(name);
    }),
  );
}

/** The default of a search's `domains`, which is no value of its schema: all three, in any order (service.md section 4.1). */
function areAllDomains(value: unknown): boolean {
  const all = Domain.options;
  return Array.isArray(value) && value.length === all.length && all.every((domain) => value.includes(domain));
}

function defaultsOf({ shape }: z.ZodObject): ReadonlyMap<string, Json> {
  return new Map(
    Object.entries(shape).flatMap(([name, schema]) =>
      schema instanceof z.ZodDefault ? [[name, schema.def.defaultValue as Json] as const] : [],
    ),
  );
}
