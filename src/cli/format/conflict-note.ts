import { counted } from "../../contract/quantity.js";
import type { InstallReport } from "../../lake/install/install-report.js";

/** Says that a hash decides which of two editions is shown, and what helps. */
export function conflictNote({ records, raw }: NonNullable<InstallReport["conflicts"]>): string {
  const counts = [
    ...(records > 0 ? [counted(records, "record")] : []),
    ...(raw > 0 ? [counted(raw, "raw item")] : []),
  ];
  return `conflicts: ${counts.join(" and ")} with another edition of the same capture time in a slice that is no revision: a hash of the content chose which is shown. Where one corrects the other: ingest it with --revises <slices of the other>. Where they are two things with one id: give one of them another in its mapping, as {"template": "name-{id}"}`;
}
