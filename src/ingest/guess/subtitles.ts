import type { Condition } from "../mapping/form/schema.js";

/** The times of a cue of SubRip or WebVTT, and the fewest of them at a file's start that make it subtitles. */
const CUE = /^(?:\d{1,3}:)?\d{1,2}:\d{2}[.,]\d{1,3}[ \t]+-->[ \t]+(?:\d{1,3}:)?\d{1,2}:\d{2}[.,]\d{1,3}/gm;
const FEWEST_CUES = 2;

/** Lines that are said: no numbers and times of cues, no header, no notes and settings. */
const SPOKEN =
  "^(?!\\ufeff?\\s*(?:\\d+\\s*$|WEBVTT|NOTE\\b|STYLE\\b|REGION\\b|(?:Kind|Language):|.*-->)).*\\S";

/** Whether a text is subtitles, by its start. */
export function areSubtitles(start: string): boolean {
  const cues = start.match(CUE)?.length ?? 0;
  return cues >= FEWEST_CUES || (cues > 0 && start.startsWith("WEBVTT"));
}

/** The condition of lines that are said in subtitles. */
export const SPOKEN_LINES: Condition = { path: "$", matches: SPOKEN };
