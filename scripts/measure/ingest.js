/**
 * Measures ingestion on generated files: rows and megabytes a second, and the peak memory of a process that does
 * nothing else. Fails when memory is not bounded.
 *
 *   npm run task ingest -- [megabytes, default 500] [rows with vectors, default 100000]
 *
 * Rows with vectors are made of the sentences in ../shared/data and left out where that is not there.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createReadStream, createWriteStream, existsSync } from "node:fs";
import { mkdtemp, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { createGzip } from "node:zlib";
import { IngestError, ingest, loadAdapter } from "mirrorlake";
/** @import { Adapter } from "mirrorlake" */
import { generate as generateVectors } from "./million/generate.js";
import { MAPPING as VECTORS_MAPPING } from "./million/mapping.js";

/**
 * Peak resident memory allowed, in MiB: of reading alone, of reading Parquet (DuckDB may take 512), of the whole way to
 * slices (two of DuckDB's), of that with a vector a row, and for a line of 300 MB.
 */
const BOUNDS = /** @type {const} */ ({ read: 400, parquet: 900, slices: 1800, vectors: 1200, refused: 400 });

/** @typedef {keyof typeof BOUNDS} Mode */

/** Folder of the real data that rows with vectors are made of. */
const DATA = resolve("../shared/data");

const WORDS =
  "harga murah bagus sekali barang cepat sampai the quick brown fox jumps over a lazy dog 手机 电池 很好 precio oferta nuevo barato muy bien".split(
    " ",
  );

const MAPPING = {
  mapping: 1,
  name: "measure",
  info: { title: "Generated posts", licence: "CC0-1.0" },
  sources: [{ name: "posts", files: ["*.jsonl", "*.json", "*.csv", "*.parquet"] }],
  defaults: { platform: "microblog", lang: { value: "und" } },
  rules: [
    {
      from: "posts",
      record: {
        id: "id",
        fields: {
          text: "text",
          "metrics.likes": "likes",
          "author.uid_hash": { path: "uid", author_hash: true },
        },
      },
    },
  ],
};

/**
 * Reads everything and makes nothing of it.
 * @param {Adapter["sources"]} sources
 * @returns {Promise<Adapter>}
 */
async function readingOnly(sources) {
  const { info } = await loadAdapter("beir");
  return {
    name: "reading-only",
    info,
    sources,
    async *convert(rows) {
      for await (const batch of rows) {
        yield batch.map(({ file, line }) => ({ unused: { file, line, reason: "only read" } }));
      }
    },
  };
}

/** @typedef {"jsonl" | "json" | "csv"} Kind */

/**
 * Writes a file of about so many megabytes; the same every time.
 * @param {Kind} kind
 * @param {string} path
 * @param {number} megabytes
 * @returns {Promise<void>}
 */
async function generate(kind, path, megabytes) {
  const out = createWriteStream(path);
  let state = 1;
  /** @param {number} below */
  const random = (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >>> 8) % below;
  };
  /** @param {number} n */
  const row = (n) => {
    const text = Array.from({ length: 15 + random(40) }, () => WORDS[random(WORDS.length)]).join(" ");
    return {
      id: String(7e15 + n),
      text: n % 50 === 0 ? `${text}, "said\nso"` : text,
      likes: random(9999),
      uid: `u${random(1e5)}`,
    };
  };
  /** @type {Record<Kind, (n: number) => string>} */
  const write = {
    jsonl: (n) => `${JSON.stringify(row(n))}\n`,
    json: (n) => `${n === 1 ? "" : ",\n"}${JSON.stringify(row(n))}`,
    csv: (n) => {
      const { id, text, likes, uid } = row(n);
      return `${id},"${text.replaceAll('"', '""')}",${likes},${uid}\n`;
    },
  };
  out.write({ jsonl: "", json: '{"code":0,"data":{"items":[', csv: "id,text,likes,uid\n" }[kind]);
  for (let n = 1, bytes = 0; bytes < megabytes * 1e6; ) {
    let block = "";
    while (block.length < 200_000) block += write[kind](n++);
    bytes += Buffer.byteLength(block);
    if (!out.write(block)) await once(out, "drain");
  }
  out.end(kind === "json" ? "]}}" : "");
  await once(out, "finish");
}

/**
 * What a measuring process prints.
 * @typedef {{ readonly rows: number; readonly seconds: number; readonly peakMiB: number; readonly slice?: string; }} Measured
 */

/**
 * Measures one ingestion, in this process.
 * @param {Mode} mode
 * @param {string} input
 * @param {string} out
 * @param {string} mapping
 * @returns {Promise<Measured>}
 */
async function measure(mode, input, out, mapping) {
  const mapped = await loadAdapter(mapping);
  const rowsPath = input.endsWith(".json")
    ? { read: /** @type {const} */ ({ as: "json", rows: "data.items" }) }
    : {};
  const sources = mapped.sources.map((source) => ({ ...source, ...rowsPath }));
  const started = performance.now();
  const adapter =
    mode === "vectors" ? mapped : mode === "slices" ? { ...mapped, sources } : await readingOnly(sources);
  const when = mode === "vectors" ? {} : { capturedAt: "2026-05-27T08:00:00Z" };
  const report = await ingest([input], { adapter, out, authorSalt: "measured", ...when }).catch(
    (/** @type {unknown} */ error) => {
      if (mode === "refused" && error instanceof IngestError && error.code === "record_too_large")
        return undefined;
      throw error;
    },
  );
  return {
    rows: report?.read ?? 0,
    seconds: (performance.now() - started) / 1000,
    peakMiB: process.resourceUsage().maxRSS / 1024,
    ...(report?.slices[0] === undefined ? {} : { slice: report.slices[0].dir }),
  };
}

/**
 * Measures in a process of its own, so that its peak memory is of that alone.
 * @param {Mode} mode
 * @param {string} input
 * @param {string} out
 * @param {string} mapping
 * @returns {Promise<Measured>}
 */
async function measureApart(mode, input, out, mapping) {
  const child = spawn(
    process.execPath,
    [fileURLToPath(import.meta.url), "--child", mode, input, out, mapping],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  let text = "";
  child.stdout.on("data", (part) => {
    text += String(part);
  });
  const [code] = /** @type {[number]} */ (await once(child, "close"));
  if (code !== 0) throw new Error(`measuring ${input} ended with ${code}`);
  return /** @type {Measured} */ (JSON.parse(text));
}

/**
 * Bytes of a file, or of the files in a folder.
 * @param {string} path
 * @returns {Promise<number>}
 */
async function sizeOf(path) {
  const { size } = await stat(path);
  if (!(await stat(path)).isDirectory()) return size;
  const sizes = await Promise.all((await readdir(path)).map((name) => sizeOf(join(path, name))));
  return sizes.reduce((sum, one) => sum + one, 0);
}

/**
 * @param {number} megabytes
 * @param {number} vectors
 * @returns {Promise<void>}
 */
async function main(megabytes, vectors) {
  const dir = await mkdtemp(join(tmpdir(), "mirrorlake-measure-"));
  /** @param {string} name */
  const at = (name) => join(dir, name);
  const mapping = at("mapping.json");
  let runs = 0;
  let unbounded = false;
  /**
   * @param {string} what
   * @param {Mode} mode
   * @param {string} input
   */
  const run = async (what, mode, input, by = mapping) => {
    const result = await measureApart(mode, input, at(`out-${runs++}`), by);
    const size = (await sizeOf(input)) / 1e6;
    const over = result.peakMiB > BOUNDS[mode];
    unbounded ||= over;
    console.log(
      `${what.padEnd(30)} ${size.toFixed(0).padStart(5)} MB  ${result.rows.toLocaleString("en-US").padStart(10)} rows  ${result.seconds.toFixed(1).padStart(6)} s  ${Math.round(
        result.rows / result.seconds,
      )
        .toLocaleString("en-US")
        .padStart(
          9,
        )} rows/s  ${(size / result.seconds).toFixed(1).padStart(6)} MB/s  peak ${result.peakMiB.toFixed(0)} MiB${over ? `, over ${BOUNDS[mode]}` : ""}`,
    );
    return result;
  };
  try {
    await writeFile(mapping, JSON.stringify(MAPPING));
    for (const kind of /** @type {const} */ (["jsonl", "json", "csv"]))
      await generate(kind, at(`a.${kind}`), megabytes);
    await pipeline(
      createReadStream(at("a.jsonl")),
      createGzip({ level: 1 }),
      createWriteStream(at("b.jsonl.gz")),
    );
    await run("JSON lines, read", "read", at("a.jsonl"));
    await run("JSON lines .gz, read", "read", at("b.jsonl.gz"));
    await run("JSON document, read", "read", at("a.json"));
    await run("CSV, read", "read", at("a.csv"));
    const { slice } = await run("JSON lines, to slices", "slices", at("a.jsonl"));
    if (slice === undefined) throw new Error("no slice was written");
    await symlink(join(slice, "records.parquet"), at("a.parquet"));
    await run("Parquet, read", "parquet", at("a.parquet"));
    if (existsSync(DATA)) {
      await generateVectors(vectors, DATA, at("vectors"));
      await writeFile(at("vectors.json"), JSON.stringify(VECTORS_MAPPING));
      await run("Parquet with vectors, to slices", "vectors", at("vectors"), at("vectors.json"));
    } else console.log(`Parquet with vectors: left out, there is no ${DATA}`);
    await writeFile(at("line.jsonl"), `{"a":1}\n"`);
    for (let i = 0; i < 300; i++) await writeFile(at("line.jsonl"), "x".repeat(1e6), { flag: "a" });
    await run("one line of 300 MB, refused", "refused", at("line.jsonl"));
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
  if (unbounded) throw new Error("memory is not bounded");
}

const [first, ...rest] = process.argv.slice(2);
const work =
  first === "--child"
    ? measure(/** @type {Mode} */ (rest[0]), rest[1], rest[2], rest[3]).then((result) =>
        console.log(JSON.stringify(result)),
      )
    : main(Number(first ?? 500), Number(rest[0] ?? 100_000));
work.catch((/** @type {unknown} */ error) => {
  console.error(error);
  process.exitCode = 1;
});
