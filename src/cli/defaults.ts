/** Default lake folder, without `--lake` and `MIRRORLAKE_LAKE`. */
export const DEFAULT_LAKE = ".mirrorlake/lake";

/** Default folder of the lake that `mirrorlake demo` builds. */
export const DEMO_LAKE = ".mirrorlake/demo";

/** Line width in cells when the output is not a terminal. */
export const DEFAULT_COLUMNS = 100;

/** Default address of the embedding server, without an address in `--embedder` or `OPENAI_BASE_URL`. */
export const DEFAULT_EMBEDDING_URL = "https://api.openai.com/v1";

/** Characters that are written at a time of a result that may have any size. */
export const STREAM_CHARACTERS = 65_536;

/** How long an interrupted command may take to end once its work is done, ms. */
export const EXIT_MS = 1_000;

/** Defaults of `serve`, seconds. */
export const SERVE_DEFAULTS = {
  /** After the signal to stop: how long calls are still taken, so that who sends them can learn of it. */
  drainGraceS: 0,
  /** After that: how long calls that are under way may take before they are cut. */
  drainDeadlineS: 10,
  /** After that: how long closing the lake and the account may take. */
  closeS: 5,
  /** How long a server that starts waits for an account on PostgreSQL. */
  accountWaitS: 60,
  /** Pauses between two tries of it, in milliseconds. */
  accountWait: { firstPauseMs: 250, longestPauseMs: 5_000 },
} as const;

/** Exit codes of every command. */
export const EXIT = { ok: 0, error: 1, usage: 2, incomplete: 3, interrupted: 130, terminated: 143 } as const;
