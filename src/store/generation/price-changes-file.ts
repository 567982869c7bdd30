import { readFile } from "node:fs/promises";
import { z } from "zod";
import { parseOnce } from "../../contract/parse-once.js";
import { writeNewFile } from "../../files/durable-files.js";
import { corrupt } from "./checksums.js";
import type { PriceChange } from "./price-changes.js";

const PriceChanges = z.array(
  z.strictObject({ row: z.number().int().min(0), drop: z.number().nullable(), hash: z.string() }),
);

/** Writes the derived values of rows whose row stores were written before these were known. */
export async function writePriceChanges(path: string, changes: readonly PriceChange[]): Promise<void> {
  await writeNewFile(path, JSON.stringify(changes));
}

/** Reads the file of {@link writePriceChanges}. @throws LakeError `generation_corrupt` for another content */
export async function readPriceChanges(path: string): Promise<PriceChange[]> {
  const text = await readFile(path, "utf8");
  try {
    return parseOnce(PriceChanges, JSON.parse(text));
  } catch (cause) {
    throw corrupt(path, "it holds no price changes", cause);
  }
}
