import { z } from "zod";

/*
 * Parameters that several tools share. Lengths and forms are left to the service, which checks them all: each bound here would cost
 * tokens in every conversation.
 */

/** Continues a record that was shortened. */
export const PartInput = z.string().optional().describe("As a next call gives it");

/** Leaves out the first records. */
export const SkipInput = z.number().min(0).optional();

/** An optional text. */
export const TextInput = z.string().optional();

/** A page's cursor as the service gave it. */
export const CursorInput = z.union([z.number(), z.string()]).optional();
