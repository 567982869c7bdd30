/** One finding of a diagnosis of a lake on ClickHouse. */
export interface ClusterFinding {
  /** `error`: calls fail, or may be wrong; `warning`: they may soon, or writers cannot write; `note`: good to know. */
  readonly level: "error" | "warning" | "note";
  readonly code: string;
  readonly message: string;
  readonly remedy: string;
}
