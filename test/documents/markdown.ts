import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

/** Folder of the repository. */
export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** A Markdown document of the repository. */
export interface Document {
  /** Path in the repository, with slashes. */
  readonly path: string;
  readonly text: string;
}

/** A fenced block of a document. */
export interface Block {
  readonly path: string;
  /** 1-based line of the opening fence. */
  readonly line: number;
  /** First word of the info string: the language. */
  readonly language: string;
  /** Further words: what the tests are to make of it. */
  readonly marks: readonly string[];
  readonly code: string;
}

/** Documents that a person wrote: those at the top, and `docs` without what is generated. */
export function writtenDocuments(): readonly Document[] {
  const top = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"].filter((name) =>
    existsSync(join(ROOT, name)),
  );
  const inDocs = readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
    .map((path) => `docs/${path.replaceAll("\\", "/")}`)
    .filter((path) => path.endsWith(".md") && !path.startsWith("docs/api/"))
    .sort();
  return [...top, ...inDocs].map(readDocument);
}

/** A document by its path in the repository. */
export function readDocument(path: string): Document {
  return { path, text: readFileSync(join(ROOT, path), "utf8") };
}

/** The fenced blocks of a document. @throws Error for a fence that is not closed */
export function blocksOf({ path, text }: Document): readonly Block[] {
  const blocks: Block[] = [];
  let open: { line: number; info: string; from: number } | undefined;
  const lines = text.split("\n");
  for (const [i, line] of lines.entries()) {
    if (!line.startsWith("```")) continue;
    if (open === undefined) {
      open = { line: i + 1, info: line.slice(3).trim(), from: i + 1 };
      continue;
    }
    const [language = "", ...marks] = open.info.split(/\s+/);
    const code = lines.slice(open.from, i).join("\n");
    blocks.push({ path, line: open.line, language, marks, code });
    open = undefined;
  }
  if (open !== undefined) throw new Error(`${path}:${open.line}: the block is not closed`);
  return blocks;
}

/** `path:line` of a block, for the names of tests. */
export function placeOf({ path, line }: Block): string {
  return `${path}:${line}`;
}

/** Anchors of the headings of a document, as code hosts make them, and of its HTML anchors. */
export function anchorsOf({ text }: Document): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, heading] of withoutBlocks(text).matchAll(/^#+ (.+)$/gm)) {
    const plain = heading!.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
    const anchor = plain.replace(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-");
    let numbered = anchor;
    for (let n = 1; anchors.has(numbered); n++) numbered = `${anchor}-${n}`;
    anchors.add(numbered);
  }
  for (const [, id] of text.matchAll(/<a id="([^"]+)">/g)) anchors.add(id!);
  return anchors;
}

/** A link of a document to another document or file of the repository. */
export interface Link {
  /** As it is written. */
  readonly target: string;
  /** Path in the repository that it leads to. */
  readonly path: string;
  readonly anchor: string | undefined;
}

/** Links of a document that stay in the repository. */
export function linksOf({ path, text }: Document): readonly Link[] {
  return [...withoutBlocks(text).matchAll(/\]\(([^)\s]+)\)/g)]
    .map((match) => match[1]!)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [file = "", anchor] = target.split("#");
      const linked = file === "" ? path : join(dirname(path), file);
      return { target, path: relative(".", linked).replaceAll("\\", "/"), anchor };
    });
}

function withoutBlocks(text: string): string {
  return text
    .replace(/^```[\s\S]*?^```$/gm, "")
    .replace(/`[^`\n]*`/g, (code) => code.replace(/[[\]()]/g, ""));
}
