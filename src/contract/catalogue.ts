import type { z } from "zod";
import { DATASET_ROWS } from "./catalogue/datasets.js";
import { SEARCH_ROWS } from "./catalogue/search.js";
import { SHORT_VIDEO_ROWS } from "./catalogue/short-video.js";
import type { EndpointSpec } from "./endpoint.js";

const ROWS = [...SEARCH_ROWS, ...SHORT_VIDEO_ROWS, ...DATASET_ROWS] as const;

type Row = (typeof ROWS)[number];

/** Every endpoint that ships with Mirrorlake, one row each (service.md section 4; decisions.md, "Catalogue"). */
export const CATALOGUE: readonly EndpointSpec[] = ROWS;

/** Id of an endpoint of {@link CATALOGUE}. */
export type EndpointId = Row["id"];

/** Parameters, as given and as checked, and `data` of every shipped endpoint, by id. */
export type EndpointMap = {
  readonly [R in Row as R["id"]]: {
    readonly params: z.input<R["params"]>;
    readonly values: z.output<R["params"]>;
    readonly data: z.output<R["data"]>;
  };
};

/** Parameters of an endpoint, as a caller gives them. */
export type EndpointParams<Id extends EndpointId> = EndpointMap[Id]["params"];

/** Parameters of an endpoint as its handler gets them: checked, defaults filled in. */
export type EndpointValues<Id extends EndpointId> = EndpointMap[Id]["values"];

/** `data` of an endpoint's answer. */
export type EndpointData<Id extends EndpointId> = EndpointMap[Id]["data"];

type RawRow = Extract<Row, { readonly platform: string; readonly resource: string }>;

/** Platforms that have raw endpoints. */
export type RawPlatform = RawRow["platform"];

/** Raw resources of a platform. */
export type RawResource<P extends RawPlatform> = Extract<RawRow, { readonly platform: P }>["resource"];

/** Id of the raw endpoint of a platform and resource. */
export type RawEndpointId<P extends RawPlatform, R extends RawResource<P>> = Extract<
  RawRow,
  { readonly platform: P; readonly resource: R }
>["id"];
