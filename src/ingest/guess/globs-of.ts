import { basename } from "node:path";
import type { FoundFile } from "../readers/found-file.js";

/**
 * Globs of the files of one shape: of their ending, where no file of another shape has it; else of their folder and ending, of how deep
 * they are, or of each of their folders, as far as no file of another shape is there; else their names.
 */
export function globsOf(files: readonly FoundFile[], others: readonly FoundFile[]): readonly string[] {
  const endings = new Set(files.map(endingOf));
  if (endings.has("")) return namesOf(files);
  if (!others.some((file) => endings.has(endingOf(file)))) return [...endings].map((ending) => `*${ending}`);
  const folder = folderOf(files);
  const isFree = folder !== "" && !others.some(({ name }) => name.startsWith(folder));
  if (files.length > 1 && isFree) return [...endings].map((ending) => `${folder}**/*${ending}`);
  const depth = depthOf(files[0]!);
  const isDepthFree = !others.some((file) => depthOf(file) === depth && endings.has(endingOf(file)));
  if (depth > 0 && isDepthFree && files.length > 1 && files.every((file) => depthOf(file) === depth))
    return [...endings].map((ending) => `${"*/".repeat(depth)}*${ending}`);
  return files.length > 1 ? byFolder(files, others) : namesOf(files);
}

/** Globs of the first folders that files are in, where no other file is in them, and the names of the rest. */
function byFolder(files: readonly FoundFile[], others: readonly FoundFile[]): readonly string[] {
  const taken = new Set(others.map(topOf));
  const isFree = (file: FoundFile) => topOf(file) !== "" && !taken.has(topOf(file));
  const globs = files.filter(isFree).map((file) => `${topOf(file)}**/*${endingOf(file)}`);
  return [...new Set(globs), ...namesOf(files.filter((file) => !isFree(file)))];
}

/** The first folder of a file's path, with its slash; empty where it is in none, or no glob. */
function topOf({ name }: FoundFile): string {
  const folder = /^[^/]*\//.exec(name)?.[0] ?? "";
  return /[*?{}]/.test(folder) ? "" : folder;
}

function depthOf({ name }: FoundFile): number {
  return name.split("/").length - 1;
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
