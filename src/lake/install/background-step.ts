import { DiskError } from "../../contract/errors.js";
import { writingTo } from "../../files/writing-to.js";
import { currentOrNone } from "./published.js";

const DISK_CODES = ["disk_full", "file_too_large", "not_writable"] as const;

/** Why a step that follows a publication ended before it was done: by the signal, or by the disk. */
export type StepEnd = "aborted" | (typeof DISK_CODES)[number];

/**
 * Takes a step that makes another generation of the published one, which is searched meanwhile, and stays where the step ends early.
 * Requires the install lock.
 * @throws what `step` throws, but for the signal's reason and errors of the disk before it has published
 */
export async function inBackground<T>(
  { lake, number, signal }: { readonly lake: string; readonly number: number; readonly signal?: AbortSignal },
  step: () => Promise<T>,
): Promise<{ readonly done: T } | { readonly ended: StepEnd }> {
  try {
    return { done: await writingTo(lake, step) };
  } catch (error) {
    const ended = whyEnded(error, signal);
    if (ended === undefined || (await currentOrNone(lake)) !== number) throw error;
    return { ended };
  }
}

/** Why a step ended, if what was published before it stays all the same. */
function whyEnded(error: unknown, signal: AbortSignal | undefined): StepEnd | undefined {
  if (signal?.aborted) return "aborted";
  return error instanceof DiskError ? DISK_CODES.find((code) => code === error.code) : undefined;
}
