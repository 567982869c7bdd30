/** Something that is wrong with a lake. */
export interface Problem {
  /** Stable name of what is wrong. */
  readonly code: string;
  readonly message: string;
  /** The file, slice or id at fault. */
  readonly value?: unknown;
  /** What to do: a command where one mends it. */
  readonly remedy: string;
}

/** An error as a problem. */
export function problemOf(error: unknown, remedy: string): Problem {
  const { code, message, value, remedy: own } = error as Partial<Problem> & Error;
  return {
    code: typeof code === "string" ? code.toLowerCase() : "unexpected",
    message,
    value,
    remedy: own ?? remedy,
  };
}

/** The command that builds a lake's generation anew from its slices. */
export function rebuildCommand(lake: string): string {
  return `mirrorlake install ${lake}/slices --lake ${lake} --rebuild`;
}
