import { INDEX_FILE } from "./slice-index.js";

/** Path under which a server has the files of its slices, beside `/v1`: a published folder. */
export const DATASETS_PATH = "/datasets/";

/** Path of the index of a server's slices. */
export const DATASETS_INDEX = `${DATASETS_PATH}${INDEX_FILE}`;

/** Path of a file of a slice on a server. */
export function datasetPath(root: string, file: string): string {
  return `${DATASETS_PATH}${root}/${file}`;
}
