import { clearInterval, setInterval } from "node:timers";
import { formatBytes, formatCount, formatDuration } from "../../contract/quantity.js";
import type { CliContext } from "../context.js";

/** Additions to a progress line: a note, and the time left in ms. */
export interface ProgressNote {
  readonly note?: string;
  readonly leftMs?: number | undefined;
}

/**
 * A progress line on standard error. It is redrawn on a terminal and silent elsewhere, but for what it is told to say. Where nothing is
 * reported for three seconds it says each second for how long.
 */
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
const TICK_MS = 1_000;
const SILENT_MS = 3_000;

/** The time of a progress line. */
export interface ProgressTime {
  /** Wall time in ms; it limits redraws, and tells times. */
  readonly now: () => number;
  /** Calls a function again and again after so many ms, without keeping the process; returns what ends that. */
  readonly every: (ms: number, call: () => void) => () => void;
}

const PROCESS_TIME: ProgressTime = {
  now: Date.now,
  every: (ms, call) => {
    const timer = setInterval(call, ms).unref();
    return () => clearInterval(timer);
  },
};

/** Creates the progress line of one command. */
export function createProgress(context: CliContext, { now, every }: ProgressTime = PROCESS_TIME): Progress {
  const print = (line: string) => context.err.write(`${line}\n`);
  if (!context.err.isTty) return { update: () => {}, say: print, end: () => {} };
  let drawn = Number.NEGATIVE_INFINITY;
  let visible = false;
  let started = now();
  let current = "";
  let latest = { line: () => "", at: now() };
  let stopTicks: (() => void) | undefined;
  const draw = (line: string) => {
    drawn = now();
    visible = true;
    context.err.redraw(line.slice(0, Math.max(1, context.err.columns - 1)));
  };
  const tick = () => {
    const silentMs = now() - latest.at;
    if (silentMs >= SILENT_MS) draw(`${latest.line()}  for ${formatSeconds(silentMs)}`);
  };
  const end = () => {
    stopTicks?.();
    stopTicks = undefined;
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
      latest = { line: () => lineOf(label, done, total, [unit, note]), at: now() };
      stopTicks ??= every(TICK_MS, tick);
      if (now() - drawn < REDRAW_MS) return;
      const share = shareOf(done, total);
      const elapsedMs = now() - started;
      const guess = share > 0.02 && share < 1 ? (elapsedMs * (1 - share)) / share : undefined;
      const left = leftMs ?? guess;
      const shown = left === undefined ? "" : `  ${formatSeconds(Math.ceil(left / 1000) * 1000)} left`;
      draw(`${latest.line()}${shown}`);
    },
    say(line) {
      end();
      print(line);
    },
    end,
  };
}

/** A label, a bar where the total is known, and what is counted. */
function lineOf(
  label: string,
  done: number,
  total: number,
  [unit, note]: readonly [unit: string, note: string],
): string {
  const shown = unit === "bytes" ? formatBytes : formatCount;
  const count = total > 0 ? `${shown(done)}/${shown(total)}` : shown(done);
  const filled = Math.round(shareOf(done, total) * BAR);
  const bar = total > 0 ? ` [${"=".repeat(filled)}${" ".repeat(BAR - filled)}]` : "";
  const words = [count, unit === "bytes" ? "" : unit, note].filter((word) => word !== "").join(" ");
  return `${label}${bar} ${words}`;
}

function shareOf(done: number, total: number): number {
  return total > 0 ? Math.min(1, done / total) : 0;
}

/** A time in whole seconds, from two minutes on in minutes, too. */
function formatSeconds(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return seconds < 120 ? `${seconds} s` : formatDuration(seconds * 1000);
}
