import { counted } from "../../contract/quantity.js";
import type { RetainReport } from "../../lake/maintain/retain-lake.js";

/** Longest list of slices that is printed; the rest is counted. */
const LIST_LINES = 20;

/** What a retention did, or would do, slice by slice: those that go, then those that are revised. */
export function retainedLines({ dryRun, dropped, revised }: RetainReport): string[] {
  const would = dryRun ? "would be " : "";
  const lines = [
    ...dropped.map((root) => `${root.slice(0, 12)} ${would}removed`),
    ...revised.map(({ from }) => `${from.slice(0, 12)} ${would}revised`),
  ];
  if (lines.length === 0) return ["nothing"];
  if (lines.length <= LIST_LINES) return lines;
  const more = [
    [dropped.length, "removed"],
    [revised.length, "revised"],
  ] as const;
  const all = more.flatMap(([count, what]) => (count === 0 ? [] : `${count} ${would}${what}`)).join(", ");
  const rest = counted(lines.length - LIST_LINES, "more slice");
  return [...lines.slice(0, LIST_LINES), `… and ${rest}, in all ${all}; --json lists them`];
}
