/** A sample as a reader of the text format gets it. */
export interface ReadSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\\\|\\"|\\n)*)"(,|$)/y;

/** Reads Prometheus' text format 0.0.4 strictly; throws at whatever the format does not allow. */
export function readMetrics(text: string): ReadSample[] {
  if (!text.endsWith("\n")) throw new Error("the last line has no end");
  const samples: ReadSample[] = [];
  const seen = new Set<string>();
  const families = new Set<string>();
  let family = { name: "", type: "" };
  for (const line of text.slice(0, -1).split("\n")) {
    const help = /^# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) /.exec(line);
    if (help !== null) {
      if (families.has(help[1]!)) throw new Error(`${help[1]} is described twice`);
      families.add(help[1]!);
      family = { name: help[1]!, type: "" };
      continue;
    }
    const type = /^# TYPE ([a-zA-Z0-9_:]+) (counter|gauge|histogram)$/.exec(line);
    if (type !== null) {
      if (type[1] !== family.name) throw new Error(`type of ${type[1]} after ${family.name}`);
      family = { name: family.name, type: type[2]! };
      continue;
    }
    const sample = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/s.exec(line);
    if (sample === null) throw new Error(`no sample: ${line}`);
    const [, name, labelText = "", number] = sample;
    const bare = family.type === "histogram" ? name!.replace(/_(bucket|sum|count)$/, "") : name!;
    if (bare !== family.name) throw new Error(`${name} among ${family.name}`);
    const labels = readLabels(labelText);
    const key = JSON.stringify([name, labels]);
    if (seen.has(key)) throw new Error(`twice: ${line}`);
    seen.add(key);
    const value = /^[+-]Inf$/.test(number!) ? Number(`${number}inity`) : Number(number);
    if (Number.isNaN(value) && number !== "NaN") throw new Error(`no number: ${line}`);
    samples.push({ name: name!, labels, value });
  }
  return samples;
}

function readLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  while (LABEL.lastIndex < text.length) {
    const at = LABEL.lastIndex;
    const match = LABEL.exec(text);
    if (match === null) throw new Error(`no label at ${at}: ${text}`);
    labels[match[1]!] = match[2]!.replace(/\\(.)/gs, (_, each: string) => (each === "n" ? "\n" : each));
  }
  return labels;
}
