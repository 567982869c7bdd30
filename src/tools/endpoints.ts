import type { Answer } from "../client/answer.js";
import { ApiError, UsageError } from "../contract/errors.js";
import { didYouMean, nearestName } from "../contract/nearest-name.js";
import { omitUndefined } from "../contract/omit-undefined.js";
import { withOwnPlatforms } from "../contract/service/catalogue/own-platform-rows.js";
import type { EndpointSpec } from "../contract/service/endpoint.js";
import type { DirectoryEntry } from "../contract/service/platform-directory.js";
import { DOMAIN_PREFIX } from "../contract/service/platforms.js";
import type { ToolContext } from "./tool.js";

/** The operations that each tool asks. An endpoint of another operation is reached by no tool: none that writes is here. */
export const OPERATIONS_OF = {
  get_item: ["raw-video", "detail", "creator"],
  list_items: ["raw-comments", "list", "records", "ranking", "creator-graph"],
  get_trend: ["price-path", "trend"],
} as const;

/** A tool that asks raw endpoints. */
export type RawTool = keyof typeof OPERATIONS_OF;

/** The service's list of platforms. */
export const DIRECTORY = "datasets.platforms";

/** Parameters of a row that are no id of what it belongs to. */
const COMMON: ReadonlySet<string> = new Set([
  "cid",
  "q",
  "lang",
  "from",
  "to",
  "sort",
  "by",
  "freshness",
  "cursor",
  "count",
  "unit",
]);

/** The rows of a catalogue that a tool asks, of one platform or all. */
export function rowsOf(
  catalogue: readonly EndpointSpec[],
  tool: RawTool,
  platform?: string,
): readonly EndpointSpec[] {
  const operations: readonly string[] = OPERATIONS_OF[tool];
  return catalogue.filter(
    (row) =>
      row.platform !== undefined &&
      row.method === "GET" &&
      operations.includes(row.operation) &&
      (platform === undefined || row.platform === platform),
  );
}

/**
 * The rows of a catalogue, and of platforms that the service's directory names and the catalogue does not: those that every platform of the
 * domain has, as far as the directory says so. A remote client's catalogue has none of the platforms that a lake's slices bring.
 */
export function withDirectory(
  catalogue: readonly EndpointSpec[],
  directory: readonly DirectoryEntry[],
): readonly EndpointSpec[] {
  const unknown = directory.filter((entry) => catalogue.every(({ platform }) => platform !== entry.platform));
  const rows = withOwnPlatforms(
    [],
    unknown.map(({ platform, ...entry }) => ({ ...entry, slug: platform })),
  );
  const has = ({ platform, resource }: EndpointSpec) =>
    unknown.some((entry) => entry.platform === platform && entry.capabilities.includes(resource!));
  return [...catalogue, ...rows.filter(has)];
}

/**
 * The catalogue of a client and, where it has no row of a platform, the rows that the directory tells of that.
 * A directory that the key may not read tells nothing.
 * @param recordId the id of a record of the platform, if one is known
 */
export async function catalogueFor(
  platform: string,
  { catalogue, call }: Pick<ToolContext, "catalogue" | "call">,
  recordId = "",
): Promise<readonly EndpointSpec[]> {
  if (catalogue.some((row) => row.platform === platform)) return catalogue;
  // The directory has none of the web (service.md section 1).
  const web = `${DOMAIN_PREFIX.web}_`;
  if (recordId.startsWith(web)) {
    const code = recordId.slice(web.length).split("_")[0]!;
    return withOwnPlatforms(catalogue, [{ slug: platform, domain: "web", code, name: platform }]);
  }
  if (named(DIRECTORY)(catalogue).length === 0) return catalogue;
  try {
    const { data } = await call(DIRECTORY, { platform });
    return withDirectory(catalogue, (data ?? []) as readonly DirectoryEntry[]);
  } catch (error) {
    if (error instanceof ApiError && error.code === "forbidden") return catalogue;
    throw error;
  }
}

/** Finds the rows of these ids. */
export function named(...ids: readonly string[]) {
  return (catalogue: readonly EndpointSpec[]) => catalogue.filter(({ id }) => ids.includes(id));
}

/** The parameter of a row that names what it is about; undefined if it needs none. */
export function idParamOf(row: EndpointSpec): string | undefined {
  return Object.keys(row.params.shape).find((name) => !COMMON.has(name));
}

/** A row as a model asks for it: `comments(id, sort, from, to, count, cursor)`. */
export function signatureOf(row: EndpointSpec): string {
  const id = idParamOf(row);
  const names = Object.keys(row.params.shape).map((name) => (name === id ? "id" : name));
  return `${row.resource}(${names.join(", ")})`;
}

/**
 * The row of a platform's resource.
 * @throws UsageError `unknown_resource`, whose remedy lists what there is
 */
export function rowOf(
  catalogue: readonly EndpointSpec[],
  tool: RawTool,
  platform: string,
  resource: string | undefined,
): EndpointSpec {
  const rows = rowsOf(catalogue, tool, platform);
  const found = resource === undefined ? rows[0] : rows.find((row) => row.resource === resource);
  if (found !== undefined) return found;
  const platforms = [...new Set(rowsOf(catalogue, tool).map((row) => row.platform!))];
  const known = platforms.includes(platform);
  const elsewhere = (Object.keys(OPERATIONS_OF) as RawTool[]).find(
    (other) => other !== tool && rowsOf(catalogue, other, platform).some((row) => row.resource === resource),
  );
  const what = known ? `resource ${resource} of ${platform}` : `platform ${platform}`;
  const meant = nearestName(
    known ? (resource ?? "") : platform,
    known ? rows.map((row) => row.resource!) : platforms,
  );
  throw new UsageError("unknown_resource", `${tool} has no ${what}${didYouMean(meant)}`, {
    value: known ? resource : platform,
    remedy:
      elsewhere !== undefined
        ? `Ask ${elsewhere} for ${resource}.`
        : known
          ? `Use one of ${rows.map(signatureOf).join("; ")}.`
          : `Use one of ${platforms.join(", ")}; list_platforms says what each can be asked.`,
  });
}

/**
 * Asks a row with the parameters of a tool.
 * @throws UsageError `unknown_parameter` for one that the row does not take; ApiError, whose message names the id as the tool does
 */
export async function askRow(
  row: EndpointSpec,
  given: Readonly<Record<string, unknown>>,
  { call }: Pick<ToolContext, "call">,
): Promise<Answer> {
  try {
    return await call(row.id, paramsFor(row, given));
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "invalid_params") throw error;
    const { code, requestId, hint } = error;
    const own = `${idParamOf(row)}: `;
    const rules = error.message.split("; ");
    const message = rules
      .map((rule) => (rule.startsWith(own) ? `id: ${rule.slice(own.length)}` : rule))
      .join("; ");
    throw new ApiError(code, omitUndefined({ message, requestId, hint, cause: error }));
  }
}

/** The parameters of a row, from those of a tool: `id` takes the name that the row gives it, what is absent is left out. */
function paramsFor(row: EndpointSpec, given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const id = idParamOf(row);
  const params: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    const own = name === "id" ? id : name;
    if (own === undefined || !Object.hasOwn(row.params.shape, own))
      throw new UsageError("unknown_parameter", `${row.platform} ${row.resource} does not take ${name}`, {
        value: name,
        remedy: `Its parameters: ${signatureOf(row)}.`,
      });
    params[own] = value;
  }
  return params;
}
