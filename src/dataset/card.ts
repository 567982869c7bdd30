import type { DatasetFacts } from "./croissant.js";
import { licenceUrl } from "./licence.js";
import { PII_KINDS } from "./pii/find-pii.js";
import type { PiiReport } from "./pii/pii-report.js";
import type { Counts, DatasetSummary } from "./summary.js";

/**
 * Builds a dataset card of slices in Markdown, with the front matter that dataset hubs read.
 * @param pii result of a scan; undefined if there was none
 */
export function datasetCard(
  summary: DatasetSummary,
  facts: DatasetFacts,
  pii: PiiReport | undefined,
): string {
  const { captured, records, raw, slices, bytes } = summary;
  const sections = [
    frontMatter(summary, facts),
    `# ${line(facts.name)}`,
    line(facts.description),
    table(
      ["", ""],
      [
        ["records", number(records)],
        ["raw items", number(raw)],
        ["slices", number(slices)],
        ["size", `${number(bytes)} bytes`],
        ["captured", `${captured.first} to ${captured.last}`],
        ["version", facts.version],
        ["published", facts.datePublished],
        ["page", facts.url],
      ],
    ),
    "## Contents",
    counts("platform", summary.platforms),
    counts("language", summary.languages),
    counts("month of capture", summary.months),
    ...(summary.resources.length === 0
      ? []
      : [
          table(
            ["platform and resource", "raw items"],
            summary.resources.map(({ name, raw: items }) => [name, number(items)]),
          ),
        ]),
    "## Fields",
    records === 0
      ? "There are no unified records."
      : table(
          ["column of records", "records that have it", "share"],
          summary.fields.map(({ name, records: have }) => [
            `\`${name}\``,
            number(have),
            percent(have, records),
          ]),
        ),
    "## Vectors",
    vectors(summary),
    "## Licences",
    list(summary.licences.map((name) => link(name, licenceUrl(name)))),
    ...(summary.contributors.length === 0 ? [] : ["Credits:", list(summary.contributors)]),
    "## Personal data",
    personalData(pii),
    "## Files",
    "Each slice is a folder named after its root hash: `datapackage.json` (a Frictionless Data Package v2 with the SHA-256 of " +
      "every file), `records.parquet`, `raw.parquet` and `vectors.arrow` where there is something to hold. " +
      "`croissant.json` describes all of it for machines.",
  ];
  return `${sections.join("\n\n")}\n`;
}

/** Size classes of dataset hubs. */
const SIZES = [
  [1e3, "n<1K"],
  [1e4, "1K<n<10K"],
  [1e5, "10K<n<100K"],
  [1e6, "100K<n<1M"],
  [1e7, "1M<n<10M"],
] as const;

function frontMatter(
  { languages, licences, records, raw, domains }: DatasetSummary,
  facts: DatasetFacts,
): string {
  const size = SIZES.find(([below]) => records + raw < below)?.[1] ?? "n>10M";
  const items = (name: string, values: readonly string[]) =>
    values.length === 0 ? [] : [`${name}:`, ...values.map((value) => `  - ${JSON.stringify(value)}`)];
  return [
    "---",
    `pretty_name: ${JSON.stringify(facts.name)}`,
    ...items("license", licences),
    ...items(
      "language",
      languages.map(({ name }) => name).filter((name) => name !== "und"),
    ),
    ...items("size_categories", [size]),
    ...items("tags", ["mirrorlake", ...domains.map(({ name }) => name)]),
    "---",
  ].join("\n");
}

function counts(what: string, of: readonly Counts[]): string {
  return table(
    [what, "records", "raw items"],
    of.map(({ name, records, raw }) => [name, number(records), number(raw)]),
  );
}

function vectors({ models, records, vectors: count }: DatasetSummary): string {
  if (models.length === 0) return "The records come without vectors.";
  return [
    `${number(count)} of ${number(records)} records (${percent(count, records)}) come with a vector:`,
    "",
    table(
      ["model", "dimensions", "vectors"],
      models.map(({ name, dimensions, vectors: of }) => [name, String(dimensions), number(of)]),
    ),
    "",
    "Vectors of different models must not be compared.",
  ].join("\n");
}

function personalData(pii: PiiReport | undefined): string {
  const authors =
    "Author ids of records are salted hashes; the salt is not part of the data. Raw items keep what the platform shows of an " +
    "author: names and ids. Texts are as people wrote them.";
  if (pii === undefined) {
    return `${authors}\n\nThe texts were **not** searched for e-mail addresses, phone numbers or handles.`;
  }
  const found = pii.columns.filter((column) => Object.keys(column.found).length > 0);
  const rows = found.map(({ table: of, column, found: kinds }) => [
    `\`${of}.${column}\``,
    ...PII_KINDS.map((kind) => number(kinds[kind]?.matches ?? 0)),
  ]);
  const total = PII_KINDS.map((kind) => `${number(pii.total[kind])} ${kind}s`).join(", ");
  return [
    authors,
    "",
    `A search by pattern over every text found ${total}. It misses what is disguised and may take other numbers for phones.`,
    ...(rows.length === 0 ? [] : ["", table(["column", ...PII_KINDS.map((kind) => `${kind}s`)], rows)]),
  ].join("\n");
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const text = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |`;
  return [text(head), `|${head.map(() => " --- |").join("")}`, ...rows.map(text)].join("\n");
}

function list(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join("\n");
}

function link(name: string, url: string | undefined): string {
  return url === undefined ? line(name) : `[${line(name)}](${url})`;
}

function cell(text: string): string {
  return line(text).replaceAll("|", "\\|");
}

/** Foreign text on one line, without HTML markup. */
function line(text: string): string {
  return text.replace(/\s+/g, " ").replaceAll("<", "&lt;").trim();
}

function number(value: number): string {
  return value.toLocaleString("en-US");
}

function percent(part: number, whole: number): string {
  return whole === 0 ? "0 %" : `${((part / whole) * 100).toFixed(1)} %`;
}
