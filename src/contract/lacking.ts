import { DatabaseError, LakeError, MirrorlakeError } from "./errors.js";

/** What a process may lack, and how its lack shows. */
interface Lack {
  readonly code: string;
  readonly says: string;
  readonly remedy: string;
  readonly codes: ReadonlySet<string>;
  /** What engines say: their errors have no code of the system. */
  readonly words: RegExp;
}

const LACKS: readonly Lack[] = [
  {
    code: "too_many_open_files",
    says: "This process, or the system, has as many files open as it may",
    remedy: "close some, or raise the limit (ulimit -n), then do the same again",
    codes: new Set(["EMFILE", "ENFILE"]),
    words: /^IO Error: .*\btoo many open files\b/is,
  },
  {
    code: "not_readable",
    says: "This user may not read a file or folder",
    remedy: "make it readable for this user, or do it as its owner",
    codes: new Set(["EACCES", "EPERM"]),
    words: /^IO Error: .*\bpermission denied\b/is,
  },
  {
    code: "out_of_memory",
    says: "This process gets no more memory",
    remedy: "give it more (ulimit -v, the limit of its container), or free some, then do the same again",
    codes: new Set(["ENOMEM", "ERR_MEMORY_ALLOCATION_FAILED"]),
    words:
      /^(?:Out of Memory Error|Array buffer allocation failed|WebAssembly\b.*\b(?:out of memory|could not allocate memory))/is,
  },
  {
    code: "name_too_long",
    says: "A path, or a name in it, is longer than the system takes",
    remedy: "give a shorter one; on most systems a name has at most 255 bytes, and a path 4,095",
    codes: new Set(["ENAMETOOLONG"]),
    words: /^IO Error: .*\bfile name too long\b/is,
  },
];

/** Codes of errors that say that a file of a lake is damaged. */
const DAMAGE =
  /^(lake_settings|lake_current|generation|index|keyword_index|vectors|certificate|removals_unresolved|embedder_(unreadable|invalid)|sql_failed|database_open)/;

/**
 * The error to give instead of one that takes a lack of resources or rights, or a long name, for damage: LakeError `too_many_open_files`,
 * `not_readable`, `out_of_memory`, `name_too_long`, with a remedy that fits. Any other error is given back as it is.
 */
export function unlessLacking(error: unknown): unknown {
  if (error instanceof MirrorlakeError && !DAMAGE.test(error.code)) return error;
  const cause = chainOf(error).find((one) => lackOf(one) !== undefined);
  const lack = cause === undefined ? undefined : lackOf(cause);
  if (cause === undefined || lack === undefined) return error;
  return new LakeError(lack.code, `${lack.says}: ${cause.message}`, {
    value: (cause as NodeJS.ErrnoException).path ?? (error as Partial<MirrorlakeError>).value,
    remedy: lack.remedy,
    cause: error,
  });
}

function lackOf(error: Error): Lack | undefined {
  const code = (error as NodeJS.ErrnoException).code ?? "";
  // Messages of the library may quote data; those of engines are their own.
  const speaks = !(error instanceof MirrorlakeError) || error instanceof DatabaseError;
  return LACKS.find(({ codes, words }) => codes.has(code) || (speaks && words.test(error.message)));
}

/** An error and those behind it. */
function chainOf(error: unknown): Error[] {
  return error instanceof Error ? [error, ...chainOf(error.cause)] : [];
}
