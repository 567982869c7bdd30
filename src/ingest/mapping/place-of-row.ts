import type { Reader } from "./scope.js";

/** Parts of the place of a row; `archive` and `member` are absent outside of archives. */
const PARTS: Readonly<Record<string, (file: string) => string | undefined>> = {
  /** As in rejects: `dir/a.jsonl`, `a.zip!dir/b.jsonl`. */
  file: (file) => file,
  /** `a.jsonl` */
  name: (file) => nameOf(file),
  /** `a`: without any ending */
  stem: (file) => /^\.?[^.]*/.exec(nameOf(file))![0],
  /** The folder that the file is in: `dir`. */
  folder: (file) => memberOf(file).split("/").at(-2),
  archive: (file) => (file.includes("!") ? nameOf(file.slice(0, file.indexOf("!"))) : undefined),
  member: (file) => (file.includes("!") ? memberOf(file) : undefined),
};

/** Names of the values that are not in a row: `@file`, `@line`, `@row`, `@captured`, … */
export const PLACE_NAMES = [...Object.keys(PARTS), "line", "row", "captured"].map((name) => `@${name}`);

/**
 * Reads what is known of a row's place: `@file`, `@name`, `@stem`, `@folder`, `@archive`, `@member`, `@line`; `@row`, a number
 * that tells the rows of a file apart: the line, or the position in a JSON document; and `@captured`, the capture time that the caller gave. Undefined for any other text: a member of the row may begin with `@` too.
 */
export function placeReader(text: string): Reader | undefined {
  if (!PLACE_NAMES.includes(text)) return undefined;
  if (text === "@line") return ({ line }) => line;
  if (text === "@row") return ({ line, element }) => element ?? line;
  if (text === "@captured") return ({ capturedAt }) => capturedAt;
  const part = PARTS[text.slice(1)]!;
  return ({ file }) => (file === undefined ? undefined : part(file));
}

function memberOf(file: string): string {
  return file.slice(file.indexOf("!") + 1);
}

function nameOf(file: string): string {
  return memberOf(file).split("/").at(-1)!;
}
