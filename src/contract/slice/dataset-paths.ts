import { INDEX_FILE } from "./slice-index.js";

/** Path of a server's slice files, beside `/v1`, laid out as a published folder. */
export const DATASETS_PATH = "/datasets/";

/** Path of a server's slice index. */
export const DATASETS_INDEX = `${DATASETS_PATH}${INDEX_FILE}`;

/** Path of a file of a slice on a server. */
export function datasetPath(root: string, file: string): string {
  return `${DATASETS_PATH}${root}/${file}`;
}
