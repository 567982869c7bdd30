import { INDEX_FILE } from "./slice-index.js";

/** Path of a server's slice files, beside `/v1`, laid out as a published folder. */
export const DATASETS_PATH = "/datasets/";

/** Path of a server's slice index. */
export const DATASETS_INDEX = `${DATASETS_PATH}${INDEX_FILE}`;

/** Path of a file of a slice on a server. */
export function datasetPath(root: string, file: string): string {
  return `${DATASETS_PATH}${root}/${file}`;
}

/** Finds the URL of a file of a slice, or of the slice index, at any host and below any path. */
export const DATASET_URL = new RegExp(
  `${DATASETS_PATH}(?:[0-9a-f]{64}/[A-Za-z0-9][A-Za-z0-9._-]*|${INDEX_FILE.replace(".", "\\.")})$`,
);
