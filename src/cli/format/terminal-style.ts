import type { Output } from "../context.js";

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;

/** Adds an ANSI style if the output shows colours. The result is for this output's `write` only. */
export function style(output: Output, name: keyof typeof CODES, text: string): string {
  return output.color ? `${output.styleMark}${CODES[name]}m${text}${output.styleMark}0m` : text;
}
