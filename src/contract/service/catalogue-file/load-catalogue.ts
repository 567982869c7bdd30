import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { checkArgument } from "../../check-options.js";
import { UsageError } from "../../errors.js";
import { parseUsd, ZERO_USD } from "../../money.js";
import { CatalogueOption } from "../../option-schemas.js";
import { firstFault } from "../../rule-text.js";
import { CATALOGUE } from "../catalogue.js";
import { type EndpointSpec, UNSTATED_CAP_PER_SECOND, UNSTATED_RAW_PRICE } from "../endpoint.js";
import { OPERATIONS, type Operation } from "../operations.js";
import { CatalogueFile, type CatalogueFileRow } from "./catalogue-file.js";
import { genericShape } from "./generic-shapes.js";
import { paramsFromJson, SchemaProblem, schemaFromJson } from "./schema-from-json.js";
import { schemaOf } from "./to-row.js";

/** Operations that read a platform's data: their rows name the platform. */
const OF_NO_PLATFORM = /^(search|slices|directory|unmapped|account-.*)$/;

/**
 * Applies catalogue files to a catalogue. A row with a known id overrides it field by field; a new row is appended; `remove` deletes
 * rows. Later files override earlier ones.
 * @throws UsageError `invalid_argument`; `invalid_catalogue`, naming the row and the field
 */
export function loadCatalogue(
  files: readonly unknown[],
  base: readonly EndpointSpec[] = CATALOGUE,
): readonly EndpointSpec[] {
  checkArgument(z.array(z.unknown()), files, "files", "loadCatalogue");
  checkArgument(CatalogueOption, base, "base", "loadCatalogue");
  return files.reduce<readonly EndpointSpec[]>(applyFile, base);
}

function applyFile(base: readonly EndpointSpec[], document: unknown): readonly EndpointSpec[] {
  const { endpoints, remove = [] } = parseCatalogueFile(document);
  const rows = new Map(base.map((endpoint) => [endpoint.id, endpoint]));
  for (const [i, id] of remove.entries()) {
    if (!rows.delete(id)) refuse(`remove[${i}]`, `there is no endpoint ${id}`, id);
  }
  const seen = new Set<string>();
  for (const [i, row] of endpoints.entries()) {
    const place = `endpoints[${i}] (${row.id})`;
    if (seen.has(row.id)) refuse(`${place}.id`, "stands twice in the file", row.id);
    seen.add(row.id);
    rows.set(row.id, buildRow(row, rows.get(row.id), place));
  }
  const merged = [...rows.values()];
  refuseSharedPaths(merged);
  return merged;
}

/**
 * Parses a catalogue file and checks its form. {@link loadCatalogue} checks its rows against a catalogue.
 * @throws UsageError `invalid_catalogue`
 */
export function parseCatalogueFile(document: unknown): CatalogueFile {
  const parsed = CatalogueFile.safeParse(document);
  if (parsed.success) return parsed.data;
  const { path, words } = firstFault(parsed.error);
  refuse(placeOf(path, document), words, document);
}

/** Builds one row on top of the row that it overrides, if any. */
function buildRow(row: CatalogueFileRow, known: EndpointSpec | undefined, place: string): EndpointSpec {
  const [, platformOfId, resourceOfId] = /^raw\.([a-z][a-z0-9-]{0,39})\.(.+)$/.exec(row.id) ?? [];
  const platform = row.platform ?? known?.platform ?? platformOfId;
  const resource = row.resource ?? known?.resource ?? (platform === undefined ? undefined : resourceOfId);
  const operation = row.operation ?? (known?.operation as Operation | undefined);
  if (operation === undefined)
    refuse(`${place}.operation`, "is needed: the catalogue has no row of this id", row.id);
  const path =
    row.path ?? known?.path ?? (resource && platform ? `/v1/raw/${platform}/${resource}` : undefined);
  if (path === undefined) refuse(`${place}.path`, "is needed: it does not follow from the id", row.id);
  if (platform === undefined && !OF_NO_PLATFORM.test(operation))
    refuse(`${place}.platform`, `is needed by the operation ${operation}`, row.id);

  const options = optionsOf(row, operation, known, place);
  const { params, data } = shapeOf(row, { operation, options, platform }, known, place);
  for (const key of ["id", "parent", "author", "reply_to"]) {
    const name = options[key];
    if (typeof name === "string" && !(name in params.shape))
      refuse(`${place}.options.${key}`, `names the parameter ${name}, which params does not have`, name);
  }
  for (const [, name] of path.matchAll(/\{([^}]+)\}/g)) {
    if (!(name! in params.shape))
      refuse(`${place}.path`, `names the parameter ${name}, which params does not have`, path);
  }
  if ((row.method ?? known?.method ?? "GET") === "GET") {
    const name = Object.keys(params.shape).find((key) => hasNoUrlText(params.shape[key]!));
    if (name !== undefined)
      refuse(
        `${place}.params.properties.${name}`,
        "takes an object, which a URL cannot hold: use POST",
        name,
      );
  }
  const example = row.example ?? (row.params === undefined ? known?.example : undefined);
  if (example !== undefined) {
    const { error } = params.safeParse(example);
    if (error !== undefined) {
      const { path: at, words } = firstFault(error);
      refuse(`${place}.example${at.map((key) => `.${String(key)}`).join("")}`, words, example);
    }
  }
  return {
    id: row.id,
    group: row.group ?? known?.group ?? platform ?? "custom",
    method: row.method ?? known?.method ?? "GET",
    path,
    platform,
    resource,
    operation,
    options,
    scope: row.scope ?? known?.scope ?? (platform === undefined ? "datasets" : `raw:${platform}`),
    price: row.price_usd === undefined ? (known?.price ?? defaultPrice(platform)) : parseUsd(row.price_usd),
    capPerSecond: row.cap_per_second ?? known?.capPerSecond ?? UNSTATED_CAP_PER_SECOND,
    freeEligible: row.free_eligible ?? known?.freeEligible ?? false,
    maturity: row.maturity ?? known?.maturity ?? "beta",
    availability: row.availability ?? known?.availability ?? "live",
    label: row.label ?? "assumed",
    summary: row.summary ?? known?.summary ?? `${resource ?? row.id}, by a catalogue file.`,
    params,
    data,
    example,
  };
}

function defaultPrice(platform: string | undefined) {
  return platform === undefined ? ZERO_USD : parseUsd(UNSTATED_RAW_PRICE);
}

function optionsOf(
  row: CatalogueFileRow,
  operation: Operation,
  known: EndpointSpec | undefined,
  place: string,
): EndpointSpec["options"] {
  const given = row.options ?? (known?.operation === operation ? known.options : {});
  const parsed = OPERATIONS[operation].safeParse(given);
  if (parsed.success) return given;
  const { path, words } = firstFault(parsed.error);
  const at = path.map((key) => `.${String(key)}`).join("");
  refuse(`${place}.options${at}`, words, given);
}

/**
 * The schemas of the file, else of the overridden row, else of the generic operation. What the file says of the overridden row as
 * `catalogue list --json` prints it leaves that row's own, which has rules that JSON Schema cannot say, such as the range of `freshness`.
 */
function shapeOf(
  row: CatalogueFileRow,
  {
    operation,
    options,
    platform,
  }: {
    operation: Operation;
    options: EndpointSpec["options"];
    platform: string | undefined;
  },
  known: EndpointSpec | undefined,
  place: string,
): { params: z.ZodObject; data: z.ZodType } {
  const sameOperation = known?.operation === operation && isDeepStrictEqual(options, known.options);
  const base = sameOperation ? known : (genericShape(operation, options, platform) ?? known);
  const read = <T>(field: string, build: () => T): T => {
    try {
      return build();
    } catch (error) {
      if (!(error instanceof SchemaProblem)) throw error;
      refuse([place, field, ...error.path].join("."), error.message, row.id, error);
    }
  };
  const isBase = (schema: "params" | "data") =>
    row[schema] === undefined ||
    (base !== undefined && isDeepStrictEqual(row[schema], schemaOf(base, schema)));
  const params = isBase("params") ? base?.params : read("params", () => paramsFromJson(row.params!));
  const data = isBase("data") ? base?.data : read("data", () => schemaFromJson(row.data!));
  if (params === undefined) refuse(`${place}.params`, `is needed by the operation ${operation}`, row.id);
  return { params, data: data ?? schemaFromJson({}) };
}

function refuseSharedPaths(rows: readonly EndpointSpec[]): void {
  const owners = new Map<string, string>();
  for (const { id, method, path } of rows) {
    const route = `${method} ${path.replaceAll(/\{[^}]+\}/g, "{}")}`;
    const owner = owners.get(route);
    if (owner !== undefined)
      refuse(`endpoint ${id}.path`, `${method} ${path} is the path of ${owner} too`, path);
    owners.set(route, id);
  }
}

/** `endpoints[3] (raw.a.b).options`: the row's id makes a long file readable. */
function placeOf(path: readonly PropertyKey[], document: unknown): string {
  const [first, index, ...rest] = path;
  if (first !== "endpoints" || typeof index !== "number") return path.map(String).join(".") || "the file";
  const id = (document as { endpoints: { id?: unknown }[] }).endpoints[index]?.id;
  return [`endpoints[${index}]${typeof id === "string" ? ` (${id})` : ""}`, ...rest.map(String)].join(".");
}

/**
 * Refuses a catalogue file for what stands at a place of it.
 * @throws UsageError `invalid_catalogue`
 */
export function refuse(place: string, rule: string, value: unknown, cause?: unknown): never {
  throw new UsageError("invalid_catalogue", `${place}: ${rule}`, {
    value,
    remedy: "Correct the catalogue file at that place; `mirrorlake catalogue check <file>` tries it.",
    cause,
  });
}

/** What says what values a schema takes. */
interface Definition {
  readonly type: string;
  readonly innerType?: z.core.$ZodType;
  readonly in?: z.core.$ZodType;
  readonly element?: z.core.$ZodType;
  readonly options?: readonly z.core.$ZodType[];
  readonly left?: z.core.$ZodType;
  readonly right?: z.core.$ZodType;
}

/**
 * Says whether no text of a URL can be a value of a schema, because it takes objects alone, or lists of them. References to other
 * schemas are not followed: they may lead back.
 */
function hasNoUrlText(schema: z.core.$ZodType): boolean {
  const def = schema._zod.def as unknown as Definition;
  if (def.type === "object" || def.type === "record") return true;
  if (def.options !== undefined) return def.options.every(hasNoUrlText);
  if (def.left !== undefined && def.right !== undefined)
    return hasNoUrlText(def.left) || hasNoUrlText(def.right);
  const inner = def.innerType ?? def.in ?? def.element;
  return inner !== undefined && hasNoUrlText(inner);
}
