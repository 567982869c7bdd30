import { randomBytes } from "node:crypto";
import { terminalLine, terminalText } from "../../contract/terminal-text.js";
import type { Output, OutputStream } from "../context.js";

/** Moves to the start of the line and clears it. */
const CLEAR_LINE = "\r\u001b[K";

/**
 * Creates the output over a stream: the one place where text meets the terminal. Only styles and redrawn lines of the program get
 * escape sequences; those in its text are shown, not obeyed.
 *
 * @param styleMark begins a style in text; not to be guessed, so that no data can carry it
 */
export function safeOutput(stream: OutputStream, styleMark = randomBytes(16).toString("hex")): Output {
  const styles = new RegExp(`${styleMark}(\\d+)m`, "g");
  const shown = (text: string) => terminalText(text).replace(styles, "\u001b[$1m");
  const write = (text: string) => stream.write(shown(text));
  const { isTty, columns, color } = stream;
  return {
    isTty,
    columns,
    color,
    styleMark,
    write,
    data: (text) => (isTty ? write(text) : stream.write(text)),
    deliver: async (text) => {
      const line = isTty ? shown(text) : text;
      await (stream.deliver?.(line) ?? stream.write(line));
    },
    drained: async (signal) => stream.drained?.(signal),
    redraw: (line) => stream.write(CLEAR_LINE + terminalLine(line)),
  };
}
