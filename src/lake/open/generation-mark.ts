import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CHECKSUMS_FILE } from "../../store/generation/checksums.js";

/**
 * What tells a generation from another of the same number, as in a copy that was put in the place of the lake: the SHA-256 of its
 * checksums. Undefined where they cannot be read.
 */
export function generationMark(dir: string): string | undefined {
  try {
    return createHash("sha256")
      .update(readFileSync(join(dir, CHECKSUMS_FILE)))
      .digest("hex");
  } catch {
    // A folder that is gone for a moment is no other lake, and checksums that are lost are a finding of doctor.
    return undefined;
  }
}
