import { join } from "node:path";
import { sampleItems } from "../../src/conformance/sample/sample-items.js";
import { CATALOGUE } from "../../src/contract/service/catalogue.js";
import type { BareRecord, StoredRecord } from "../../src/contract/service/unified-record.js";
import type { SliceItem, SourceInfo } from "../../src/contract/slice/slice-item.js";
import { installSlices } from "../../src/lake/install/install-slices.js";
import { recordHash } from "../../src/slice/record-hash.js";
import { writeSlices } from "../../src/staging/write-slices.js";
import { copyLake, type TemporaryLake, temporaryLake } from "../support/sample-lake.js";

/** Model of the downloaded vectors. */
export const MODEL = "test-embedding-1";

/** Texts that formats get wrong. */
export const AWKWARD = [
  "",
  " ",
  'a "quoted" word, and a comma',
  "two\nlines\r\nand a tab\t",
  "'; DROP VIEW records; --",
  "手机 \u{1f4f1} مرحبا ไทย",
  "NULL",
  "=1+1",
  "\\N",
  "mark\ufeff",
];

/** Records with awkward texts, unknown extra keys and, but for the last, a downloaded vector. */
export const AWKWARD_RECORDS: readonly StoredRecord[] = AWKWARD.map((text, i) => {
  const bare: BareRecord = {
    id: `web_doc_awkward-${i}`,
    src: "web",
    platform: "web-docs",
    lang: i % 2 === 0 ? "zh-Hant" : "zh",
    title: `Awkward ${i}`,
    text,
    entities: [text, "second"],
    sentiment: { score: i / 8 - 0.5, label: i < 4 ? "negative" : "positive" },
    extra: { note: text, tags: [text], outlet_tier: i },
  };
  return { ...bare, prov: { hash: recordHash(bare), ts: `2026-04-${10 + i}T08:30:00.250+08:00` } };
});

/** The downloaded vector of an awkward record: 1536 numbers, unit length. */
export function awkwardVector(i: number): Float32Array {
  const vector = new Float32Array(1536);
  vector[i] = 0.6;
  vector[1535] = 0.8;
  return vector;
}

/** Everything in the lake, in no particular order. */
export function richItems(): SliceItem[] {
  const awkward = AWKWARD_RECORDS.map((record, i): SliceItem => {
    return i === AWKWARD.length - 1
      ? { kind: "record", record }
      : { kind: "record", record, vector: awkwardVector(i) };
  });
  return [...sampleItems(CATALOGUE), ...awkward];
}

/** What is said of them as a source. */
export const RICH_INFO: SourceInfo = {
  title: "Rich",
  licence: "CC0-1.0",
  attribution: "Nobody",
  vectorModel: MODEL,
  platforms: [{ slug: "web-docs", domain: "web", code: "doc", name: "Web documents" }],
};

/** Makes a lake of the sample data and of records with awkward texts and downloaded vectors. */
export function temporaryRichLake(): Promise<TemporaryLake> {
  return temporaryLake((dir) => copyLake("rich-lake", dir, buildRichLake));
}

async function buildRichLake(dir: string): Promise<void> {
  async function* items() {
    yield richItems();
  }
  const slices = await writeSlices(items(), {
    out: join(dir, "slices"),
    info: RICH_INFO,
  });
  await installSlices(
    slices.map((slice) => slice.dir),
    { lake: join(dir, "lake") },
  );
}
