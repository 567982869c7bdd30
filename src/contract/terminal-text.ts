/** Characters that steer a terminal or reorder a line: controls, line separators, bidirectional embeddings and isolates. */
const STEERING = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;
const STEERING_IN_LINES = /[^\P{Cc}\n\t]|[\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/**
 * One line that is safe to print: every character that steers a terminal, line ends and tabs among them, is shown as its escape,
 * such as `\u001b`.
 */
export function terminalLine(text: string): string {
  return text.replace(STEERING, escapeOf);
}

/** Text that is safe to print: as {@link terminalLine}, but line feeds and tabs stay. */
export function terminalText(text: string): string {
  return text.replace(STEERING_IN_LINES, escapeOf);
}

function escapeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
