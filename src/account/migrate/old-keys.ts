import { readFile } from "node:fs/promises";
import { z } from "zod";
import { LakeError } from "../../contract/errors.js";
import { StoredApiKey } from "../api-key.js";

const KeyFile = z.strictObject({
  format: z.literal("mirrorlake-keys"),
  version: z.literal(1),
  keys: z.array(StoredApiKey),
});

/** Reads the key file of release 0.1.0; empty if there is none. @throws LakeError `keys_corrupt` */
export async function readOldKeys(path: string): Promise<readonly StoredApiKey[]> {
  try {
    return KeyFile.parse(JSON.parse(await readFile(path, "utf8"))).keys;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return [];
    const why = cause instanceof z.ZodError ? z.prettifyError(cause) : String(cause);
    throw new LakeError("keys_corrupt", `The key file ${path} cannot be read: ${why}`, {
      value: path,
      remedy: "Restore it from a backup, or delete it and create new keys with `mirrorlake keys create`.",
      cause,
    });
  }
}
