import { formatBytes, formatCount, formatDuration } from "../../contract/quantity.js";
import type { CliContext } from "../context.js";

/** Additions to a progress line: a note, and the time left in ms. */
export interface ProgressNote {
  readonly note?: string;
  readonly leftMs?: number | undefined;
}

/** A progress line on standard error. It is redrawn on a terminal and silent elsewhere, but for what it is told to say. */
export interface Progress {
  /**
   * Redraws the line. `total` is 0 or absent if unknown. `unit` names the counted things; `bytes` are shown as sizes. Without
   * `more.leftMs` the time left is estimated from the share done.
   */
  update(label: string, done: number, total?: number, unit?: string, more?: ProgressNote): void;
  /** Prints a line of its own, also where standard error is no terminal. */
  say(line: string): void;
  /** Clears the line. Call it before printing anything else, and at the end. */
  end(): void;
}

const BAR = 24;
const REDRAW_MS = 80;

/** Creates the progress line of one command. `now` returns wall time in ms; it limits redraws and estimates the time left. */
export function createProgress(context: CliContext, now: () => number = Date.now): Progress {
  const print = (line: string) => context.err.write(`${line}\n`);
  if (!context.err.isTty) return { update: () => {}, say: print, end: () => {} };
  let drawn = Number.NEGATIVE_INFINITY;
  let visible = false;
  let started = now();
  let current = "";
  const end = () => {
    if (visible) context.err.redraw("");
    visible = false;
    drawn = Number.NEGATIVE_INFINITY;
  };
  return {
    update(label, done, total = 0, unit = "", { note = "", leftMs }: ProgressNote = {}) {
      if (label !== current) {
        current = label;
        started = now();
        drawn = Number.NEGATIVE_INFINITY;
      }
      if (now() - drawn < REDRAW_MS) return;
      drawn = now();
      visible = true;
      const shown = unit === "bytes" ? formatBytes : formatCount;
      const count = total > 0 ? `${shown(done)}/${shown(total)}` : shown(done);
      const share = total > 0 ? Math.min(1, done / total) : 0;
      const filled = Math.round(share * BAR);
      const bar = total > 0 ? ` [${"=".repeat(filled)}${" ".repeat(BAR - filled)}]` : "";
      const elapsedS = (now() - started) / 1000;
      const guess = share > 0.02 && share < 1 ? (elapsedS * (1 - share)) / share : undefined;
      const leftS = leftMs === undefined ? guess : leftMs / 1000;
      const left =
        leftS === undefined
          ? ""
          : `  ${leftS < 120 ? `${Math.ceil(leftS)} s` : formatDuration(leftS * 1000)} left`;
      const words = [count, unit === "bytes" ? "" : unit, note].filter((word) => word !== "").join(" ");
      const line = `${label}${bar} ${words}${left}`;
      context.err.redraw(line.slice(0, Math.max(1, context.err.columns - 1)));
    },
    say(line) {
      end();
      print(line);
    },
    end,
  };
}
