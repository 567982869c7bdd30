import { z } from "zod";
import { checkArgument, checkOptions, optionsSchema } from "../../check-options.js";
import type { JsonObject } from "../../json.js";
import { CatalogueOption } from "../../option-schemas.js";
import { SliceManifest } from "../../slice/slice-manifest.js";
import * as accountShapes from "../account-shapes.js";
import * as answerShapes from "../answer-shapes.js";
import { SlicesPage } from "../catalogue/datasets.js";
import type { EndpointSpec } from "../endpoint.js";
import { ErrorEnvelope, Meta } from "../envelope.js";
import { DirectoryEntry } from "../platform-directory.js";
import { Comment, CommentsPage, RawAuthor, RawVideo } from "../raw.js";
import { Extra, Metrics, Price, Provenance, Sentiment, UnifiedRecord } from "../unified-record.js";
import { JsonSchemas } from "./json-schema.js";
import { operationOf, sharedComponents } from "./operation.js";

/** Version of the API description (service.md section 9). */
export const DESCRIPTION_VERSION = "0.1.0";

/** Schemas that the document defines once. */
const NAMED: Readonly<Record<string, z.ZodType>> = {
  Meta,
  ErrorEnvelope,
  UnifiedRecord,
  Metrics,
  Extra,
  Price,
  Sentiment,
  Provenance,
  RawAuthor,
  RawVideo,
  Comment,
  CommentsPage,
  SliceManifest,
  SlicesPage,
  DirectoryEntry,
  RawRecord: answerShapes.RawRecord,
  RawProvenance: answerShapes.RawProvenance,
  Danmaku: answerShapes.Danmaku,
  Segment: answerShapes.Segment,
  Review: answerShapes.Review,
  BrandMention: answerShapes.BrandMention,
  CreatorProfile: answerShapes.CreatorProfile,
  CreatorItem: answerShapes.CreatorItem,
  CreatorGraph: answerShapes.CreatorGraph,
  PricePoint: answerShapes.PricePoint,
  PricePath: answerShapes.PricePath,
  Trend: answerShapes.Trend,
  ApiKey: accountShapes.ApiKey,
  AccountSummary: accountShapes.AccountSummary,
};

const DESCRIPTION = `Public web data in three domains (social, ecommerce, web) behind one API key and one JSON envelope,
served from local dataset slices. Operations carry the service's price, cap, maturity and availability, and a label: what is
\`specified\` by the service's description, what Mirrorlake has \`assumed\` where that is silent, and what was \`observed\`.`;

/** Options of {@link openApiDocument}. */
export interface OpenApiOptions {
  /** Base URL of the server; default: the document's own origin. */
  readonly serverUrl?: string;
}

const OPTIONS = optionsSchema<OpenApiOptions>(() => ({ serverUrl: z.string().optional() }));

/**
 * The OpenAPI 3.1 document of a catalogue: one operation per row, in the catalogue's order.
 * @throws UsageError `invalid_argument`, `invalid_options`
 */
export function openApiDocument(
  catalogue: readonly EndpointSpec[],
  options: OpenApiOptions = {},
): JsonObject {
  checkOptions(OPTIONS, options, "openApiDocument");
  const steps = openApiSteps(catalogue, options);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/**
 * Makes {@link openApiDocument} in steps of a row each, so that who serves can give others a turn in between: of the whole catalogue
 * it takes tenths of a second.
 * @throws UsageError `invalid_argument`
 */
export function* openApiSteps(
  catalogue: readonly EndpointSpec[],
  { serverUrl = "/" }: OpenApiOptions = {},
): Generator<undefined, JsonObject, void> {
  checkArgument(CatalogueOption, catalogue, "catalogue", "openApiDocument");
  yield;
  const schemas = new JsonSchemas(NAMED);
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const endpoint of catalogue) {
    const operation = { [endpoint.method.toLowerCase()]: operationOf(endpoint, schemas) };
    paths[endpoint.path] = { ...paths[endpoint.path], ...operation };
    yield;
  }
  const components = sharedComponents(schemas, ErrorEnvelope);
  return {
    openapi: "3.1.0",
    info: {
      title: "Public Web Data API",
      version: DESCRIPTION_VERSION,
      description: DESCRIPTION.replaceAll("\n", " "),
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: serverUrl }],
    security: [{ bearer: [] }, { apiKey: [] }],
    tags: [...new Set(catalogue.map(({ group }) => group))].map((name) => ({ name })),
    paths,
    components: { ...components, schemas: schemas.definitions },
  };
}
