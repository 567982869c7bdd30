/** Media type of {@link writeMetrics}. */
export const METRICS_MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** Labels of a sample, by name. */
export type Labels = Readonly<Record<string, string>>;

/** One value of a metric. */
export interface Sample {
  /** What follows the metric's name: `_bucket`, `_sum`, `_count` of a histogram. */
  readonly suffix?: string;
  readonly labels?: Labels | undefined;
  readonly value: number | bigint;
}

/** A metric with its values. */
export interface Metric {
  /** Letters, digits and `_`, the unit at its end. */
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly samples: readonly Sample[];
}

/**
 * Writes metrics in Prometheus' text format, version 0.0.4 (https://prometheus.io/docs/instrumenting/exposition_formats/). A metric
 * without values is left out.
 */
export function writeMetrics(metrics: Iterable<Metric>): string {
  let text = "";
  for (const { name, help, type, samples } of metrics) {
    if (samples.length === 0) continue;
    text += `# HELP ${name} ${help.replace(/[\\\n]/g, escaped)}\n# TYPE ${name} ${type}\n`;
    for (const { suffix = "", labels, value } of samples)
      text += `${name}${suffix}${labelsText(labels)} ${numberText(value)}\n`;
  }
  return text;
}

function labelsText(labels: Labels = {}): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name}="${value.replace(/[\\\n"]/g, escaped)}"`,
  );
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escaped(character: string): string {
  return character === "\n" ? "\\n" : `\\${character}`;
}

/** A number as Go's `ParseFloat` takes it. */
function numberText(value: number | bigint): string {
  if (value === Number.POSITIVE_INFINITY) return "+Inf";
  if (value === Number.NEGATIVE_INFINITY) return "-Inf";
  return String(value);
}
