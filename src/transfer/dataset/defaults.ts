/** Every default of pulling datasets from their hosts, in one place. Sizes are bytes. */
export const DATASET_DEFAULTS = {
  /** Most files of a dataset, and pages of a list of them. */
  maxFiles: 100_000,
  maxPages: 1_000,
  /** Most bytes of a page of a list, and of a mapping. */
  maxListBytes: 24 * 2 ** 20,
  maxMappingBytes: 2 ** 20,
} as const;
