import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import type { SliceItem } from "../../src/contract/slice/slice-item.js";
import type { SliceManifest } from "../../src/contract/slice/slice-manifest.js";
import { writeSlices } from "../../src/staging/write-slices.js";
import { batches, INFO } from "../lake/items.js";

/** Slices that the steps of a test install, each step's by its name. */
export interface SlicesInUse {
  /** Folder that has a folder of each name, and room for lakes. */
  readonly dir: string;
  /** Writes the slices of a step. @param revises names of steps whose slices they supersede */
  write(name: string, items: readonly SliceItem[], ...revises: readonly string[]): Promise<void>;
  /** Folders of the slices of some steps. */
  folders(names: readonly string[]): string[];
}

/** Makes a folder before the tests of this file and removes it after them. @param name what the tests are of */
export function useSlices(name: string): SlicesInUse {
  let dir = "";
  const written = new Map<string, SliceManifest[]>();
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), `mirrorlake-${name}-`));
  });
  afterAll(() => rm(dir, { recursive: true, force: true }));
  return {
    get dir() {
      return dir;
    },
    async write(name, items, ...revises) {
      const slices = await writeSlices(batches(items), {
        out: join(dir, name),
        info: { ...INFO, title: name },
        ...(revises.length === 0 ? {} : { revises: revises.flatMap((each) => written.get(each)!) }),
      });
      written.set(
        name,
        slices.map(({ manifest }) => manifest),
      );
    },
    folders: (names) => names.map((each) => join(dir, each)),
  };
}
