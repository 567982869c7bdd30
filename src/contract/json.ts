import { z } from "zod";

/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Any JSON object. */
export type JsonObject = { readonly [key: string]: Json };

/** Schema of any JSON value. */
export const JsonValue = z.json();

/** Schema of {@link JsonObject}. */
export const JsonObject = z.record(z.string(), JsonValue) as unknown as z.ZodType<JsonObject>;
