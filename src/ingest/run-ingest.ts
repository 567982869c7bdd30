import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, systemClock } from "../clock.js";
import { writingTo } from "../files/writing-to.js";
import type { WrittenSlice } from "../staging/publish-slice.js";
import { writeSlices } from "../staging/write-slices.js";
import { CLOCK_SKEW_MS } from "../store/as-of.js";
import { REJECTS_FILE } from "./defaults.js";
import { checkFilesOptions, type IngestFilesOptions } from "./ingest-files-options.js";
import type { IngestReport } from "./ingest-report.js";
import { IngestRun } from "./ingest-run.js";
import type { IngestInput } from "./input-rows.js";
import { RejectsFile } from "./rejects-file.js";
import { StagedOutput } from "./staged-output.js";

/**
 * Converts files and folders to slices: reads rows, converts them with the adapter, writes slices and rejects. The output is
 * staged beside `out` and published by one rename; a failure or an abort leaves nothing. The same input and options give the
 * same bytes.
 *
 * @param inputs paths of files and folders, streams of bytes, or the rows of a program
 * @throws IngestError for input that cannot be read or converted, and in strict mode for the first reject; UsageError for
 * an invalid option; the signal's reason when aborted
 */
export async function ingestFiles(inputs: IngestInput, options: IngestFilesOptions): Promise<IngestReport> {
  const { signal, clock = systemClock } = options;
  checkFilesOptions(options);
  signal?.throwIfAborted();
  return writingTo(options.out, () => ingestInto(inputs, options, clock));
}

async function ingestInto(
  inputs: IngestInput,
  options: IngestFilesOptions,
  clock: Clock,
): Promise<IngestReport> {
  const { signal } = options;
  const started = clock.now();
  const staging = await StagedOutput.begin(options.out, options.replace ?? false);
  const run = new IngestRun(options, started + CLOCK_SKEW_MS);
  try {
    const spill = join(staging.dir, "spill");
    await mkdir(spill);
    const rejects = await RejectsFile.create(join(staging.dir, REJECTS_FILE), run.rejects);
    let slices: WrittenSlice[];
    try {
      slices = await writeSlices(run.items(inputs, rejects, { spill, ignore: staging.own }), {
        out: staging.dir,
        info: options.adapter.info,
        hashes: options.adapter.hashes ?? "check",
        revises: options.revises,
        keepSame: options.keepSame,
        onDuplicate: (duplicate) => run.duplicate(duplicate, rejects),
        onLostRows: (rows) => run.lost(rows),
        onProgress: ({ phase, slices: written }) => {
          if (phase === "write") run.wrote(written);
        },
        signal,
      });
      await rejects.close();
    } finally {
      await rejects.abandon();
    }
    await rm(spill, { recursive: true, force: true });
    signal?.throwIfAborted();
    await options.beforePublish?.(staging.dir, slices);
    await staging.publish();
    return run.report(staging.target, slices, (clock.now() - started) / 1000);
  } catch (error) {
    await staging.discard();
    throw error;
  }
}
