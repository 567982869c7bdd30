import { median } from "./measure.js";

/** Medians over runs, figure by figure. */
export function medians(runs) {
  const merged = {};
  for (const key of Object.keys(runs[0])) {
    merged[key] =
      typeof runs[0][key] === "number"
        ? median(runs.map((run) => run[key]))
        : { p50: median(runs.map((run) => run[key].p50)), p99: median(runs.map((run) => run[key].p99)) };
  }
  return merged;
}

/** Figures of ours over those of each peer, less than one where ours is the smaller. */
export function ratios(results) {
  const { ours } = results;
  if (ours === undefined) return {};
  const peers = Object.entries(results).filter(([engine]) => engine !== "ours" && engine !== "fitted");
  const compared = peers.map(([peer, figures]) => [
    `ours to ${peer}`,
    Object.fromEntries(
      Object.keys(ours)
        .filter((name) => figures[name] !== undefined)
        .map((name) => [
          name,
          typeof ours[name] === "number"
            ? ours[name] / figures[name]
            : { p50: ours[name].p50 / figures[name].p50, p99: ours[name].p99 / figures[name].p99 },
        ]),
    ),
  ]);
  return Object.fromEntries(compared);
}

/** Figures by engine, or ratios by peer, as a Markdown table. */
export function table(results) {
  const engines = Object.keys(results);
  const figures = [...new Set(engines.flatMap((engine) => Object.keys(results[engine])))];
  const show = (value) =>
    value === undefined
      ? "–"
      : typeof value === "number"
        ? value.toFixed(value < 10 ? 3 : 0)
        : `${value.p50.toFixed(2)} / ${value.p99.toFixed(2)}`;
  return [
    `| figure | ${engines.join(" | ")} |`,
    `|---|${engines.map(() => "---:").join("|")}|`,
    ...figures.map(
      (figure) => `| ${figure} | ${engines.map((engine) => show(results[engine][figure])).join(" | ")} |`,
    ),
  ].join("\n");
}
