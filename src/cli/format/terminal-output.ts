import { once } from "node:events";
import { getSystemErrorMap } from "node:util";
import { DiskError } from "../../contract/errors.js";
import { OutputClosed, type OutputStream } from "../context.js";
import { DEFAULT_COLUMNS } from "../defaults.js";

/** The stream properties that the command line uses. */
export type TerminalStream = Pick<NodeJS.WriteStream, "write"> &
  Partial<Pick<NodeJS.WriteStream, "isTTY" | "columns" | "writableNeedDrain" | "once" | "off">>;

/** An output whose reader may go. */
export interface ClosableOutput extends OutputStream {
  /** Drops what is written from now on: it has no reader. */
  close(): void;
  /** Whether somebody waits to learn if a text was written. */
  isDelivering(): boolean;
}

/** Creates the output stream over a stream of this process. */
export function createOutput(
  stream: TerminalStream,
  env: Readonly<Record<string, string | undefined>>,
): ClosableOutput {
  let isOpen = true;
  let delivering = 0;
  return {
    isDelivering: () => delivering > 0,
    deliver: async (text) => {
      const { nextTurn } = await import("../../next-turn.js");
      delivering++;
      try {
        await new Promise<void>((resolve, reject) => {
          stream.write(text, (error) => (error ? reject(outputFailure(error)) : resolve()));
        });
      } finally {
        // The stream's own event follows the call above.
        await nextTurn();
        delivering--;
      }
    },
    close: () => {
      isOpen = false;
    },
    write: (text) => {
      if (isOpen) stream.write(text);
    },
    drained: async (signal) => {
      try {
        if (isOpen && stream.writableNeedDrain === true)
          await once(stream as NodeJS.WriteStream, "drain", { signal });
      } catch (error) {
        // A stream that lost its reader fails who waits for it.
        if (isOpen) throw error;
      }
      if (!isOpen) throw new OutputClosed();
    },
    isTty: stream.isTTY === true,
    columns: stream.columns || DEFAULT_COLUMNS,
    color: wantsColor(stream.isTTY === true, env),
  };
}

/** The error of a standard output that cannot be written, with the codes of a file that cannot be. Its remedy is to be completed. */
export function outputFailure({ code, errno, message }: NodeJS.ErrnoException): DiskError {
  const [name, remedy] =
    code === "ENOSPC" || code === "EDQUOT"
      ? ["disk_full", "free some space or send the output elsewhere"]
      : ["not_writable", "send the output to a file or a program that takes it"];
  const reason = getSystemErrorMap().get(errno ?? 0)?.[1] ?? message;
  return new DiskError(name, `Standard output cannot be written: ${reason}`, { value: code, remedy });
}

/**
 * Whether to write ANSI colours. `FORCE_COLOR` decides if it is set (`0` and `false` mean no), then a non-empty `NO_COLOR` (no),
 * then whether the stream is a terminal with colours. Sources: force-color.org, no-color.org.
 */
function wantsColor(isTty: boolean, env: Readonly<Record<string, string | undefined>>): boolean {
  const { FORCE_COLOR: force, NO_COLOR: no, TERM: terminal } = env;
  if (force !== undefined && force !== "") return force !== "0" && force !== "false";
  return isTty && !no && terminal !== "dumb";
}
