/** Name of a mapping that lies beside the data it is for: `ingest <folder>` and `pull` of a dataset use it. */
export const MAPPING_FILE = "mirrorlake-mapping.json";
