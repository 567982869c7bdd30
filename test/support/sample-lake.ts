import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject } from "vitest";
import { buildSampleLake } from "../../src/conformance/sample/sample-lake.js";
import { sharedFolder } from "./shared-folder.js";

/** A lake of the sample data in a temporary folder. */
export interface TemporaryLake {
  /** Folder of the lake. */
  readonly path: string;
  remove(): Promise<void>;
}

/** Makes a lake in a temporary folder that holds something for every endpoint of the catalogue. */
export function temporarySampleLake(): Promise<TemporaryLake> {
  return temporaryLake(copySampleLake);
}

/** Makes a lake in a temporary folder by `make`, which returns its folder. */
export async function temporaryLake(make: (dir: string) => Promise<string>): Promise<TemporaryLake> {
  const dir = await mkdtemp(join(tmpdir(), "mirrorlake-test-"));
  const remove = () => rm(dir, { recursive: true, force: true });
  try {
    return { path: await make(dir), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Copies the sample lake, which is built once a run, to `dir/lake`, its slices to `dir/slices`; returns the lake's folder. */
export function copySampleLake(dir: string): Promise<string> {
  return copyLake("sample-lake", dir, buildSampleLake);
}

/** Copies a folder that is built once a run and has a lake in `lake`; returns the lake's folder. */
export async function copyLake(
  name: string,
  dir: string,
  build: (dir: string) => Promise<unknown>,
): Promise<string> {
  await cp(await sharedFolder(inject("sharedRoot"), name, build), dir, { recursive: true });
  return join(dir, "lake");
}
