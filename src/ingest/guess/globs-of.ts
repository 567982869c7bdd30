import { basename } from "node:path";
import type { FoundFile } from "../readers/found-file.js";

/**
 * Globs of the files of one shape: of their ending, where no file of another shape has it; else of their folder and ending; else
 * their names.
 */
export function globsOf(files: readonly FoundFile[], others: readonly FoundFile[]): readonly string[] {
  const endings = new Set(files.map(endingOf));
  if (endings.has("")) return namesOf(files);
  if (!others.some((file) => endings.has(endingOf(file)))) return [...endings].map((ending) => `*${ending}`);
  const folder = folderOf(files);
  const isFree = folder !== "" && !others.some(({ name }) => name.startsWith(folder));
  if (files.length > 1 && isFree) return [...endings].map((ending) => `${folder}**/*${ending}`);
  return namesOf(files);
}

/** A mark of globs in a file's own name stands for any character. */
export function nameAsGlob(name: string): string {
  return name.replace(/[*?{}]/g, "?");
}

function namesOf(files: readonly FoundFile[]): readonly string[] {
  return files.map(({ name }) => nameAsGlob(name));
}

function endingOf({ name }: FoundFile): string {
  return /\.[A-Za-z0-9]+$/.exec(basename(name))?.[0] ?? "";
}

/** The deepest folder that all files are in, with a slash at its end; empty where it is the input, or no glob. */
function folderOf(files: readonly FoundFile[]): string {
  const [first = [], ...rest] = files.map(({ name }) => name.split("/").slice(0, -1));
  let depth = first.length;
  for (const parts of rest) {
    depth = Math.min(depth, parts.length);
    while (depth > 0 && parts.slice(0, depth).join("/") !== first.slice(0, depth).join("/")) depth -= 1;
  }
  const folder = first
    .slice(0, depth)
    .map((part) => `${part}/`)
    .join("");
  return /[*?{}]/.test(folder) ? "" : folder;
}
