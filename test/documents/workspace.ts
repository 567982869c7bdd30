import { cp, link, mkdir, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DEMO_DATA } from "../../src/cli/demo-sources.js";
import { type Block, blocksOf, type Document } from "./markdown.js";

/** Folders of a lake whose files never change: a copy of the lake may share them. */
const IMMUTABLE = ["slices", "generations"];

/**
 * Makes the folder that a document's blocks run in, as a reader has it: the demo's lake in `.mirrorlake/demo`, downloads, the
 * files that the document shows, and, where blocks ask for it, a lake of one's own.
 */
export async function makeWorkspace(folder: string, document: Document, demoLake: string): Promise<void> {
  const blocks = blocksOf(document);
  await copyLake(demoLake, join(folder, ".mirrorlake", "demo"));
  if (blocks.some(({ marks }) => marks.includes("lake-copy"))) await copyLake(demoLake, join(folder, "lake"));
  await cp(join(DEMO_DATA, "social_short_video_native"), join(folder, "downloads"), { recursive: true });
  for (const [name, is] of Object.entries(SHOWN)) {
    const shown = blocks.find(is);
    if (shown === undefined) continue;
    await mkdir(join(folder, dirname(name)), { recursive: true });
    await writeFile(join(folder, name), `${shown.code}\n`);
  }
}

/** Files that a document shows, and the block that holds each. */
const SHOWN: Readonly<Record<string, (block: Block) => boolean>> = {
  "takedown.txt": ({ marks }) => marks.includes("takedown"),
  "rows.json": ({ marks }) => marks.includes("catalogue"),
  "my-mapping.json": ({ marks }) => marks.includes("mapping"),
  "shop/products-may.csv": ({ language }) => language === "csv",
};

/** Copies a lake; files that never change are shared. */
export async function copyLake(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (IMMUTABLE.includes(entry.name)) await share(join(from, entry.name), join(to, entry.name));
    else await cp(join(from, entry.name), join(to, entry.name), { recursive: true });
  }
}

async function share(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const paths = [join(from, entry.name), join(to, entry.name)] as const;
    await (entry.isDirectory() ? share(...paths) : link(...paths));
  }
}
