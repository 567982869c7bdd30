import { z } from "zod";
import { LOADED_TABLES } from "../schema/schema.js";

/** By table: the number of a load's rows, and the sum of their hashes modulo 2⁶⁴, which no order and no shard changes. */
export const LoadDigests = z.partialRecord(
  z.enum(LOADED_TABLES),
  z.strictObject({ rows: z.number(), digest: z.string() }),
);
export type LoadDigests = Readonly<z.infer<typeof LoadDigests>>;
