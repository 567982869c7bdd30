import { join } from "node:path";
import { z } from "zod";
import { checkArgument, checkOptions, optionsSchema } from "../contract/check-options.js";
import { UsageError } from "../contract/errors.js";
import {
  CallbackOption,
  ClockOption,
  CountOption,
  FlagOption,
  LakeFolderOption,
  objectOption,
  PathOption,
  SignalOption,
  TextOption,
} from "../contract/option-schemas.js";
import { keepLakeSalt, newSalt, type RandomSource, readSalt, writeSalt } from "../lake/author-salt.js";
import { AUTHOR_SALT_FILE, lakePaths } from "../lake/lake-paths.js";
import { settingsOrPlace } from "../lake/settings.js";
import { ManifestOption } from "../staging/manifest-option.js";
import type { Adapter } from "./adapters/adapter.js";
import { loadAdapter } from "./adapters/load-adapter.js";
import type { IngestFilesOptions } from "./ingest-files-options.js";
import type { IngestReport } from "./ingest-report.js";
import type { IngestInput, InputRows } from "./input-rows.js";
import { ingestFiles } from "./run-ingest.js";

/** Options of {@link ingest}. */
export interface IngestOptions extends Omit<IngestFilesOptions, "adapter" | "authorSalt" | "beforePublish"> {
  /** The adapter, its name, or the path of a mapping file (`.json`), as for `loadAdapter`. */
  readonly adapter: Adapter | string;
  /**
   * Salt of the author hashes; part of the input for "same input, same bytes". Default: the salt of `lake`, or without a lake
   * that of `out`. The first successful ingestion creates it at random and stores it there.
   */
  readonly authorSalt?: string;
  /** Folder of the lake that the slices are for: its salt is used, and created if absent. The slices are not installed. */
  readonly lake?: string;
  /** Randomness for a new salt. Default: the system's. */
  readonly random?: RandomSource;
}

const StreamOption = z.strictObject({
  name: TextOption,
  bytes: z.custom<AsyncIterable<Uint8Array>>(isAsyncIterable, "must be an async iterable of bytes"),
});
const InputOption = z.union(
  [z.array(z.union([PathOption, StreamOption])), z.custom<InputRows>(isAsyncIterable)],
  "must be an array of paths and streams, or an async iterable of rows",
);

function isAsyncIterable(value: unknown): boolean {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}

const OPTIONS = optionsSchema<IngestOptions>(() => ({
  adapter: z.union(
    [TextOption, objectOption<Adapter>(["convert"], "an adapter")],
    "must be an adapter, the name of one, or the path of a mapping file",
  ),
  out: PathOption,
  replace: FlagOption.optional(),
  capturedAt: z.string().optional(),
  language: z.string().optional(),
  platform: z.string().optional(),
  authorSalt: z.string().optional(),
  lake: LakeFolderOption.optional(),
  random: CallbackOption.optional(),
  strict: FlagOption.optional(),
  skipBadFiles: FlagOption.optional(),
  revises: z.array(ManifestOption).optional(),
  keepSame: FlagOption.optional(),
  limits: z
    .strictObject({
      maxRecordBytes: CountOption.optional(),
      maxDepth: CountOption.optional(),
      maxExpansion: z.number().min(0).optional(),
      expansionAllowance: CountOption.optional(),
      maxMembers: CountOption.optional(),
    })
    .optional(),
  onProgress: CallbackOption.optional(),
  signal: SignalOption.optional(),
  clock: ClockOption.optional(),
}));

/** A salt, and how to store it. `keep` is called with the staged output folder once there are slices. */
interface Salt {
  readonly salt: string;
  keep(dir: string): Promise<void>;
}

/** Thrown when the lake received another salt while this ingestion ran with a new one. */
class SaltTaken extends Error {}

/**
 * Converts files and folders to slices: reads rows, converts them with the adapter, writes slices and rejects. The output is
 * staged beside `out` and published by one rename. A failure or an abort leaves nothing, including a new lake and its salt.
 * The same input, salt and options give byte-identical slices.
 *
 * Without `authorSalt` and `lake` the salt is stored in `<out>/author-salt`, readable by its owner only. It is not part of the
 * slices: `publish` never copies it, and an install only into a lake that has none. An output that replaces another inherits its salt.
 *
 * @param inputs paths of files and folders, and streams of bytes with a name (`{ name: "posts.jsonl", bytes: process.stdin }`); or the
 * rows of a program, as an async iterable of values
 * @throws IngestError for input that cannot be read or converted, and in strict mode for the first reject; UsageError for
 * an invalid option; LakeError `author_salt_invalid`, `lake_foreign`; the signal's reason when aborted
 */
export async function ingest(inputs: IngestInput, options: IngestOptions): Promise<IngestReport> {
  checkArgument(InputOption, inputs, "inputs", "ingest");
  checkOptions(OPTIONS, options, "ingest");
  const { authorSalt, lake, random, adapter: given, ...rest } = options;
  const adapter = typeof given === "string" ? await loadAdapter(given) : given;
  if (authorSalt === "") {
    throw new UsageError("author_salt_empty", "An empty salt hides no author", {
      value: authorSalt,
      remedy: "leave it out for a stored random salt, or give at least 16 characters that cannot be guessed",
    });
  }
  for (;;) {
    const ofOutput = await readSalt(join(options.out, AUTHOR_SALT_FILE));
    const chosen =
      authorSalt !== undefined
        ? fixed(authorSalt)
        : lake !== undefined
          ? await saltOfLake(lake, random)
          : saltOfOutput(ofOutput, random);
    const beforePublish: IngestFilesOptions["beforePublish"] = async (dir, slices) => {
      if (ofOutput !== undefined) await writeSalt(join(dir, AUTHOR_SALT_FILE), ofOutput);
      if (slices.length > 0) await chosen.keep(dir);
    };
    try {
      return await ingestFiles(inputs, { ...rest, adapter, authorSalt: chosen.salt, beforePublish });
    } catch (error) {
      // The next attempt finds the stored salt, so there is at most one more.
      if (!(error instanceof SaltTaken)) throw error;
    }
  }
}

function fixed(salt: string): Salt {
  return { salt, keep: async () => {} };
}

function saltOfOutput(stored: string | undefined, random: RandomSource | undefined): Salt {
  if (stored !== undefined) return fixed(stored);
  const salt = newSalt(random);
  return { salt, keep: (dir) => writeSalt(join(dir, AUTHOR_SALT_FILE), salt) };
}

async function saltOfLake(lake: string, random: RandomSource | undefined): Promise<Salt> {
  const stored = await readSalt(lakePaths(lake).authorSalt);
  if (stored !== undefined) return fixed(stored);
  await settingsOrPlace(lake);
  const salt = newSalt(random);
  return {
    salt,
    keep: async () => {
      if ((await keepLakeSalt(lake, salt)) !== salt) throw new SaltTaken();
    },
  };
}
