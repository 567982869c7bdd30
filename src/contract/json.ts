import { z } from "zod";

/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Any JSON object. */
export type JsonObject = { readonly [key: string]: Json };

/** Schema of {@link JsonObject}. */
export const JsonObject = z.record(z.string(), z.json()) as unknown as z.ZodType<JsonObject>;
