/**
 * Measures ingestion on generated files: rows and megabytes a second, and the peak memory of a process that does
 * nothing else. Fails when memory is not bounded. Run it after `npm run build`:
 *
 *   npx tsc -p tsconfig.scripts.json && node dist-scripts/measure-ingest.js [megabytes, default 500] [rows with vectors, default 100000]
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
import { type Adapter, IngestError, ingest, loadAdapter } from "mirrorlake";
import { generate as generateVectors } from "./million/generate.js";
import { MAPPING as VECTORS_MAPPING } from "./million/mapping.js";

/**
 * Peak resident memory allowed, in MiB: of reading alone, of reading Parquet (DuckDB may take 512), of the whole way to
 * slices (two of DuckDB's), of that with a vector a row, and for a line of 300 MB.
 */
const BOUNDS = { read: 400, parquet: 900, slices: 1800, vectors: 1200, refused: 400 } as const;

type Mode = keyof typeof BOUNDS;

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

/** Reads everything and makes nothing of it. */
async function readingOnly(sources: Adapter["sources"]): Promise<Adapter> {
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

type Kind = "jsonl" | "json" | "csv";

/** Writes a file of about so many megabytes; the same every time. */
async function generate(kind: Kind, path: string, megabytes: number): Promise<void> {
  const out = createWriteStream(path);
  let state = 1;
  const random = (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >>> 8) % below;
  };
  const row = (n: number) => {
    const text = Array.from({ length: 15 + random(40) }, () => WORDS[random(WORDS.length)]!).join(" ");
    return {
      id: String(7e15 + n),
      text: n % 50 === 0 ? `${text}, "said\nso"` : text,
      likes: random(9999),
      uid: `u${random(1e5)}`,
    };
  };
  const write: Record<Kind, (n: number) => string> = {
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

/** What a measuring process prints. */
interface Measured {
  readonly rows: number;
  readonly seconds: number;
  readonly peakMiB: number;
  readonly slice?: string;
}

/** Measures one ingestion, in this process. */
async function measure(mode: Mode, input: string, out: string, mapping: string): Promise<Measured> {
  const mapped = await loadAdapter(mapping);
  const rowsPath = input.endsWith(".json") ? { read: { as: "json", rows: "data.items" } as const } : {};
  const sources = mapped.sources.map((source) => ({ ...source, ...rowsPath }));
  const started = performance.now();
  const adapter =
    mode === "vectors" ? mapped : mode === "slices" ? { ...mapped, sources } : await readingOnly(sources);
  const when = mode === "vectors" ? {} : { capturedAt: "2026-05-27T08:00:00Z" };
  const report = await ingest([input], { adapter, out, authorSalt: "measured", ...when }).catch(
    (error: unknown) => {
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

/** Measures in a process of its own, so that its peak memory is of that alone. */
async function measureApart(mode: Mode, input: string, out: string, mapping: string): Promise<Measured> {
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
  const [code] = (await once(child, "close")) as [number];
  if (code !== 0) throw new Error(`measuring ${input} ended with ${code}`);
  return JSON.parse(text) as Measured;
}

/** Bytes of a file, or of the files in a folder. */
async function sizeOf(path: string): Promise<number> {
  const { size } = await stat(path);
  if (!(await stat(path)).isDirectory()) return size;
  const sizes = await Promise.all((await readdir(path)).map((name) => sizeOf(join(path, name))));
  return sizes.reduce((sum, one) => sum + one, 0);
}

async function main(megabytes: number, vectors: number): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), "mirrorlake-measure-"));
  const at = (name: string) => join(dir, name);
  const mapping = at("mapping.json");
  let runs = 0;
  let unbounded = false;
  const run = async (what: string, mode: Mode, input: string, by = mapping) => {
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
    for (const kind of ["jsonl", "json", "csv"] as const) await generate(kind, at(`a.${kind}`), megabytes);
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
    await symlink(join(slice!, "records.parquet"), at("a.parquet"));
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
    ? measure(rest[0] as Mode, rest[1]!, rest[2]!, rest[3]!).then((result) =>
        console.log(JSON.stringify(result)),
      )
    : main(Number(first ?? 500), Number(rest[0] ?? 100_000));
work.catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
