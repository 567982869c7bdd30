import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildSampleLake } from "../../src/conformance/sample/sample-lake.js";

/** A lake of the sample data in a temporary folder. */
export interface TemporaryLake {
  /** Folder of the lake. */
  readonly path: string;
  remove(): Promise<void>;
}

/** Builds a lake that holds something for every endpoint of the catalogue. */
export async function temporarySampleLake(): Promise<TemporaryLake> {
  const dir = await mkdtemp(join(tmpdir(), "mirrorlake-sample-"));
  const remove = () => rm(dir, { recursive: true, force: true });
  try {
    return { path: await buildSampleLake(dir), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
