import { join } from "node:path";
import { CHECKSUMS_FILE, findFileFaults, readChecksums } from "../../store/generation/checksums.js";
import { readGenerationManifest } from "../../store/generation/generation-manifest.js";
import { UNCHECKED_FILES } from "../lake-paths.js";
import type { Problem } from "./problem.js";

const FILE_FAULTS = {
  changed: { code: "file_changed", says: "is not what was written" },
  missing: { code: "file_missing", says: "is missing" },
  extra: { code: "file_extra", says: "was not written by an install" },
} as const;

interface FileCheckOptions {
  readonly onBytes?: (done: number, total: number) => void;
  readonly signal?: AbortSignal | undefined;
}

/** Compares every byte of a generation with the checksums of when it was published. Says whether they are there, and agree. */
export async function verifyFiles(
  dir: string,
  { signal, onBytes: onDone }: FileCheckOptions,
  problems: Problem[],
  remedy: string,
): Promise<"whole" | "damaged" | "absent"> {
  const checksums = await readChecksums(dir);
  if (checksums === undefined) {
    // Whatever wrote the format of today wrote checksums; a generation of another format cannot be read.
    await readGenerationManifest(dir);
    problems.push({
      code: FILE_FAULTS.missing.code,
      message: `${CHECKSUMS_FILE} of the generation ${FILE_FAULTS.missing.says}`,
      value: join(dir, CHECKSUMS_FILE),
      remedy,
    });
    return "absent";
  }
  const total = [...checksums.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  let done = 0;
  const onBytes = (bytes: number) => {
    done += bytes;
    onDone?.(done, total);
  };
  const faults = await findFileFaults(dir, checksums, { except: UNCHECKED_FILES, onBytes, signal });
  for (const { path, fault } of faults) {
    const { code, says } = FILE_FAULTS[fault];
    problems.push({ code, message: `${path} of the generation ${says}`, value: join(dir, path), remedy });
  }
  return faults.length === 0 ? "whole" : "damaged";
}
