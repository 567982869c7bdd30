/** Folder of the lake that commands open when neither `--lake` nor `MIRRORLAKE_LAKE` names one. */
export const DEFAULT_LAKE = ".mirrorlake/lake";

/** Where `mirrorlake demo` leaves its lake. */
export const DEMO_LAKE = ".mirrorlake/demo";

/** Terminal width in cells where the output is not a terminal. */
export const DEFAULT_COLUMNS = 100;

/** Address of the embedding server where neither `--embedder` nor `OPENAI_BASE_URL` names one. */
export const DEFAULT_EMBEDDING_URL = "https://api.openai.com/v1";

/** Exit codes of every command. */
export const EXIT = { ok: 0, error: 1, usage: 2, interrupted: 130 } as const;
