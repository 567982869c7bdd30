import { z } from "zod";
import { UsageError } from "../../errors.js";
import type { Json, JsonObject } from "../../json.js";
import { firstFault, firstRule } from "../../rule-text.js";
import { CATALOGUE } from "../catalogue.js";
import type { EndpointSpec } from "../endpoint.js";
import { OPERATIONS, type Operation } from "../operations.js";
import { CATALOGUE_FILE_VERSION, type CatalogueFile, CatalogueFileRow } from "./catalogue-file.js";
import { loadCatalogue } from "./load-catalogue.js";
import { answersOf, type OperationPlace, paramsOf } from "./openapi-parts.js";
import { asList, asObject, dereferenced, inlinedValue } from "./openapi-refs.js";

/** The catalogue file derived from an OpenAPI document, with notes. */
export interface ImportedCatalogue {
  readonly file: CatalogueFile;
  /** One line for each operation without a local operation, kept as specified, or skipped, and for each part of one that is lost. */
  readonly notes: readonly string[];
}

const OpenApi = z.looseObject({
  openapi: z.string().regex(/^3\.[01](\.|$)/, "must be 3.0 or 3.1"),
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
  servers: z.array(z.looseObject({ url: z.string() })).optional(),
});

/**
 * Derives a catalogue file from an OpenAPI document of the remote service: a row for each GET and POST under `/v1`, with the
 * document's parameters and data, labelled `observed`. Price, cap and operation come from the `x-` fields of a document that
 * Mirrorlake wrote; else from the row with the same method and path, a shipped row of the same resource, or the assumed
 * default. Rows that service.md specifies do not change: an observation overrides an assumption, never a specification
 * (decisions.md).
 * @throws UsageError `invalid_openapi` for any other document
 */
export function catalogueFromOpenApi(
  source: unknown,
  base: readonly EndpointSpec[] = CATALOGUE,
): ImportedCatalogue {
  const parsed = OpenApi.safeParse(source);
  if (!parsed.success) {
    throw new UsageError("invalid_openapi", firstRule(parsed.error, "the document"), {
      value: firstFault(parsed.error).path.map(String).join("."),
      remedy: "Give the OpenAPI 3.0 or 3.1 document of the service, as JSON.",
    });
  }
  const document = source as JsonObject;
  const prefix = pathPrefix(parsed.data.servers?.[0]?.url);
  const rows: CatalogueFileRow[] = [];
  const notes: string[] = [];
  for (const [rawPath, item] of Object.entries(asObject(document.paths))) {
    for (const path of literalPaths(prefix + rawPath, asObject(item), document)) {
      for (const method of ["GET", "POST"] as const) {
        const operation = asObject(item)[method.toLowerCase()];
        if (operation === undefined) continue;
        const place = `${method} ${path.path}`;
        if (!path.path.startsWith("/v1/")) {
          notes.push(`${place}: left out, it is not under /v1`);
          continue;
        }
        const outcome = importOne(
          asObject(operation),
          { method, ...path, item: asObject(item), document },
          base,
        );
        if (outcome.row !== undefined) rows.push(outcome.row);
        notes.push(...outcome.notes.map((note) => `${place}: ${note}`));
      }
    }
  }
  const file: CatalogueFile = { catalogue: CATALOGUE_FILE_VERSION, endpoints: rows };
  loadCatalogue([file], base);
  return { file, notes };
}

interface Place extends OperationPlace {
  readonly path: string;
}

function importOne(
  operation: JsonObject,
  place: Place,
  base: readonly EndpointSpec[],
): { readonly row?: CatalogueFileRow; readonly notes: readonly string[] } {
  const { method, path, document } = place;
  const known = base.find((row) => row.method === method && row.path === path);
  if (known?.label === "specified") return { notes: ["kept as service.md specifies it"] };
  const [, platform, resource] = /^\/v1\/raw\/([^/{}]+)\/([^/{}]+)$/.exec(path) ?? [];
  const { schema: params, lost } = paramsOf(operation, place);
  const { schema: data, lost: lostAnswers } = answersOf(operation, document);
  const guess = guessOperation(operation, { known, resource, params, base });
  const facts = {
    id: known?.id ?? idOf(operation, platform, resource, path, method),
    method,
    path,
    ...(platform === undefined ? {} : { platform: platform.toLowerCase(), resource }),
    ...guess.row,
    ...extensionsOf(operation),
    label: "observed",
    ...(typeof operation.summary === "string" && operation.summary !== ""
      ? { summary: operation.summary.slice(0, 500) }
      : {}),
    params,
    data,
  };
  const row = CatalogueFileRow.safeParse(facts);
  if (!row.success) {
    const { path, words } = firstFault(row.error);
    return { notes: [`left out, its ${path.map(String).join(".")} ${words}`] };
  }
  try {
    loadCatalogue([{ catalogue: CATALOGUE_FILE_VERSION, endpoints: [row.data] }], base);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { notes: [`left out, ${error.message}`] };
  }
  const notes = [...lost, ...lostAnswers];
  return { row: row.data, notes: guess.note === undefined ? notes : [...notes, guess.note] };
}

interface Clues {
  readonly known: EndpointSpec | undefined;
  readonly resource: string | undefined;
  readonly params: JsonObject;
  readonly base: readonly EndpointSpec[];
}

/** The local operation of an endpoint: from the document, the replaced row, or a row of the same resource. */
function guessOperation(
  operation: JsonObject,
  { known, resource, params, base }: Clues,
): { readonly row: Pick<CatalogueFileRow, "operation" | "options">; readonly note?: string } {
  const stated = operation["x-operation"];
  if (typeof stated === "string" && Object.hasOwn(OPERATIONS, stated)) {
    return { row: { operation: stated as Operation, options: asObject(operation["x-options"]) } };
  }
  const names = Object.keys(asObject(params.properties));
  const candidates =
    known === undefined
      ? base.filter((row) => row.platform !== undefined && row.resource === resource)
      : [known];
  for (const like of candidates) {
    const options = renamed(like, names, asList(params.required).map(String));
    if (options !== undefined) return { row: { operation: like.operation as Operation, options } };
  }
  return {
    row: { operation: "unmapped", options: {} },
    note: "answers empty: no local operation fits it; give its row one",
  };
}

/**
 * Adapts the options of a row to other parameter names. A missing id is taken from the required parameters. Undefined if none
 * fits.
 */
function renamed(
  like: EndpointSpec,
  names: readonly string[],
  required: readonly string[],
): JsonObject | undefined {
  if (/^(raw-video|raw-comments)$/.test(like.operation)) return names.includes("item_id") ? {} : undefined;
  const free = required.filter((name) => !Object.values(like.options).includes(name));
  const options: Record<string, Json> = { ...like.options };
  for (const key of ["id", "parent", "author", "reply_to"]) {
    const name = options[key];
    if (typeof name !== "string" || names.includes(name)) continue;
    const other = free.shift();
    if (other === undefined) return undefined;
    options[key] = other;
  }
  return options;
}

/** The `x-` fields of documents that Mirrorlake writes. */
function extensionsOf(operation: JsonObject): JsonObject {
  const fields = {
    id: "x-endpoint-id",
    price_usd: "x-price-usd",
    cap_per_second: "x-cap-per-second",
    free_eligible: "x-free-eligible",
    maturity: "x-maturity",
    availability: "x-availability",
    scope: "x-scope",
  } as const;
  return Object.fromEntries(
    Object.entries(fields).flatMap(([field, name]) =>
      operation[name] === undefined ? [] : [[field, operation[name]]],
    ),
  );
}

function idOf(
  operation: JsonObject,
  platform: string | undefined,
  resource: string | undefined,
  path: string,
  method: string,
): string {
  if (platform !== undefined) return `raw.${platform}.${resource}`.toLowerCase();
  const name =
    typeof operation.operationId === "string"
      ? operation.operationId
      : `${path.slice("/v1/".length)}.${method}`;
  return name
    .toLowerCase()
    .replace(/[{}]/g, "")
    .replace(/[^a-z0-9_-]+/g, ".")
    .replace(/^[._-]+|[._-]+$/g, "");
}

/** Expands path parameters such as `{platform}` whose values the document lists. */
function literalPaths(
  path: string,
  item: JsonObject,
  document: JsonObject,
): { readonly path: string; readonly fixed: Readonly<Record<string, string>> }[] {
  const operations = [item.get, item.post].map((operation) => asObject(operation));
  const listed = [item, ...operations].flatMap(({ parameters }) => asList(parameters));
  let paths = [{ path, fixed: {} as Record<string, string> }];
  for (const parameter of listed.map((one) => asObject(inlinedValue(one, document)))) {
    const name = String(parameter.name);
    const values = asList(dereferenced(asObject(parameter.schema), document).enum).map(String);
    if (parameter.in !== "path" || values.length === 0) continue;
    paths = paths.flatMap((one) =>
      one.path.includes(`{${name}}`)
        ? values.map((value) => ({
            path: one.path.replace(`{${name}}`, value),
            fixed: { ...one.fixed, [name]: value },
          }))
        : [one],
    );
  }
  return paths;
}

/** Adds `/v1` to paths if the server's URL ends with it. */
function pathPrefix(url: string | undefined): string {
  return url !== undefined && /\/v1\/?$/.test(url) ? "/v1" : "";
}
