import { RowBinaryWriter } from "../row-binary.js";
import type { RemovalWork } from "./derive-keys.js";

/** Of a removed key in the table: given, derived from others, or a hash that was looked for in the texts of all loads until then. */
export const ORIGINS = { given: 0, derived: 1, sought: 2 } as const;

/** A removed key as the table has it: empty texts of what its kind does not have. */
export interface RemovedKey {
  readonly kind: "record" | "raw" | "author" | "hash";
  readonly platform: string;
  readonly resource: string;
  readonly id: string;
  readonly origin: keyof typeof ORIGINS;
}

const COLUMNS = ["by", "kind", "platform", "resource", "id", "derived", "at_ms", "reason"];

/** Sends removed keys of a change. @throws LakeError `cluster_*`; the signal's reason */
export async function sendKeys(
  { connection, by, atMs, reason, signal }: RemovalWork,
  keys: readonly RemovedKey[],
): Promise<void> {
  if (keys.length === 0) return;
  const writer = new RowBinaryWriter();
  for (const { kind, platform, resource, id, origin } of keys) {
    writer.uint64(by).word(kind).word(platform).word(resource).text(id);
    writer.uint8(ORIGINS[origin]).int64(atMs).text(reason);
  }
  await connection.insert("removals", COLUMNS, [writer.take()], { signal });
}
