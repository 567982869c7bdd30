import { join } from "node:path";
import { z } from "zod";
import { checkArgument, checkOptions, optionsSchema } from "../contract/check-options.js";
import { UsageError } from "../contract/errors.js";
import {
  CallbackOption,
  ClockOption,
  CountOption,
  FlagOption,
  objectOption,
  PathOption,
  PathsOption,
  SignalOption,
  TextOption,
} from "../contract/option-schemas.js";
import { keepLakeSalt, newSalt, type RandomSource, readSalt, writeSalt } from "../lake/author-salt.js";
import { AUTHOR_SALT_FILE, lakePaths } from "../lake/lake-paths.js";
import { settingsOrPlace } from "../lake/settings.js";
import { ManifestOption } from "../slice/manifest-option.js";
import type { Adapter } from "./adapters/adapter.js";
import { loadAdapter } from "./adapters/load-adapter.js";
import { type IngestFilesOptions, type IngestReport, ingestFiles } from "./run-ingest.js";

/** Options of {@link ingest}. */
export interface IngestOptions extends Omit<IngestFilesOptions, "adapter" | "authorSalt" | "beforePublish"> {
  /** What turns rows into items, or its name, or the path of a mapping file (`.json`), as `loadAdapter` takes it. */
  readonly adapter: Adapter | string;
  /**
   * What author ids are hashed with; part of the input as far as "same input, same bytes" goes. By default that of `lake`,
   * or, without a lake, that of `out`: each is made at random by the first ingestion that succeeds, and kept there.
   */
  readonly authorSalt?: string;
  /** Folder of the lake that the slices are for, whose salt is taken; made when absent. The slices are not installed. */
  readonly lake?: string;
  /** Where a new salt comes from; by default the system. */
  readonly random?: RandomSource;
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
  lake: PathOption.optional(),
  random: CallbackOption.optional(),
  strict: FlagOption.optional(),
  revises: z.array(ManifestOption).optional(),
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

/** A salt, and what keeps it when there are slices: told the folder that is about to become the output. */
interface Salt {
  readonly salt: string;
  keep(dir: string): Promise<void>;
}

/** The lake has got another salt while an ingestion worked with one that it had made. */
class SaltTaken extends Error {}

/**
 * Turns files and folders into slices: reads their rows, converts them by the adapter, writes slices and rejects. Everything is
 * made beside `out` and becomes visible by one rename; on failure or abort nothing is left, of a new lake and its salt neither.
 * The same input, salt and options give the same bytes of the slices.
 *
 * Without `authorSalt` and `lake` the salt is kept in `<out>/author-salt`, readable by its owner only: it is no part of the
 * slices, and neither `install` nor `publish` takes it along. An output that replaces another takes its salt over.
 *
 * @param inputs paths of files and folders
 * @throws IngestError for input that cannot be read or converted, and in strict mode for the first reject; UsageError for
 * an option that is not valid; LakeError `author_salt_invalid`, `lake_foreign`; the signal's reason when aborted
 */
export async function ingest(inputs: readonly string[], options: IngestOptions): Promise<IngestReport> {
  checkArgument(PathsOption, inputs, "inputs", "ingest");
  checkOptions(OPTIONS, options, "ingest");
  const { authorSalt, lake, random, adapter: given, ...rest } = options;
  const adapter = typeof given === "string" ? await loadAdapter(given) : given;
  if (authorSalt === "") {
    throw new UsageError("author_salt_empty", "An empty salt hides no author", {
      value: authorSalt,
      remedy:
        "leave it out, for a random one that is kept, or give 16 characters or more that nobody can guess",
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
      // The next round finds the salt that was kept in the meantime, so there is one more at most.
      if (!(error instanceof SaltTaken)) throw error;
    }
  }
}

function fixed(salt: string): Salt {
  return { salt, keep: async () => {} };
}

function saltOfOutput(there: string | undefined, random: RandomSource | undefined): Salt {
  if (there !== undefined) return fixed(there);
  const salt = newSalt(random);
  return { salt, keep: (dir) => writeSalt(join(dir, AUTHOR_SALT_FILE), salt) };
}

async function saltOfLake(lake: string, random: RandomSource | undefined): Promise<Salt> {
  const there = await readSalt(lakePaths(lake).authorSalt);
  if (there !== undefined) return fixed(there);
  await settingsOrPlace(lake);
  const salt = newSalt(random);
  return {
    salt,
    keep: async () => {
      if ((await keepLakeSalt(lake, salt)) !== salt) throw new SaltTaken();
    },
  };
}
