import { readCertificate, verifyCertificate } from "../../search/certificate.js";
import { SEARCH_DEFAULTS } from "../../search/defaults.js";
import { measureTogether, type TogetherRecall } from "../../search/measure-together.js";
import type { Problem } from "./problem.js";

/** What of a verification's options bears on recall. */
interface RecallOptions {
  readonly recall?: boolean;
  readonly threads?: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: {
    readonly phase: "recall" | "together";
    readonly done: number;
    readonly total: number;
    readonly unit: "questions";
  }) => void;
}

/**
 * Measures the recall of each set again, and adds what falls short of its certificate to the problems.
 * @returns the least recall@10 that is certified
 */
export async function verifyRecall(
  search: string,
  { recall = true, threads, signal, onProgress }: RecallOptions,
  problems: Problem[],
  remedy: string,
): Promise<number | undefined> {
  const { overall } = await readCertificate(search);
  if (recall) {
    const { shortfalls } = await verifyCertificate(search, {
      threads,
      signal,
      onProgress: (done, total) => onProgress?.({ phase: "recall", done, total, unit: "questions" }),
    });
    for (const { segment, set, selectivity, recall10 } of shortfalls) {
      problems.push({
        code: "recall_below_certificate",
        message: `Recall@10 of ${segment}/${set} at selectivity ${selectivity} is ${recall10.measured}, certified ${recall10.certified}`,
        value: `${segment}/${set}`,
        remedy,
      });
    }
  }
  return overall.length === 0 ? undefined : Math.min(...overall.map(({ recall10 }) => recall10));
}

/** Measures what the sets of an index find together, where it has several, and adds to the problems where that is too little. */
export async function verifyTogether(
  search: string,
  { recall = true, signal, onProgress }: RecallOptions,
  problems: Problem[],
  remedy: string,
): Promise<Omit<TogetherRecall, "sufficient"> | undefined> {
  const measured = recall
    ? await measureTogether(search, {
        signal,
        onProgress: (done, total) => onProgress?.({ phase: "together", done, total, unit: "questions" }),
      })
    : undefined;
  if (measured === undefined) return undefined;
  const { sufficient, ...together } = measured;
  if (!sufficient) {
    const { of10, of100 } = SEARCH_DEFAULTS.certificate.leastRecall;
    const [found10, found100] = [together.recall10.toFixed(4), together.recall100.toFixed(4)];
    problems.push({
      code: "recall_together_low",
      message: `The sets of the index find ${found10} of the ten and ${found100} of the hundred nearest together; ${of10} and ${of100} are the least`,
      value: search,
      remedy,
    });
  }
  return together;
}
