import { createReadStream } from "node:fs";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { LakeError } from "../contract/errors.js";
import {
  MODEL_FORMAT,
  modelId,
  otherModelFormat,
  readModelManifest,
} from "../search/embed/model-manifest.js";
import { shownClickHouse } from "./clickhouse-address.js";
import type { Connection } from "./connection.js";
import { CLICKHOUSE_DEFAULTS } from "./defaults.js";
import { RowBinaryWriter } from "./row-binary.js";
import { RowBinaryReader } from "./row-binary-reader.js";

const REINSTALL = "Install the slices again into an empty database.";

/** Options of {@link storeModel}. */
export interface StoreModelOptions {
  /** Id of one that a visible load has, so that all servers that keep it have it: it is not sent again. */
  readonly known?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Writes the fitted embedder in a folder to the table `models`; repeated, it changes nothing. Returns its id. */
export async function storeModel(
  connection: Connection,
  dir: string,
  { known, signal }: StoreModelOptions = {},
): Promise<string> {
  const model = modelId(await readModelManifest(dir));
  if (model === known) return model;
  async function* rows() {
    const writer = new RowBinaryWriter();
    for (const file of (await readdir(dir)).sort()) {
      let part = 0;
      const pieces = createReadStream(join(dir, file), { highWaterMark: CLICKHOUSE_DEFAULTS.modelPartBytes });
      for await (const piece of pieces as AsyncIterable<Buffer>) {
        writer.text(model).text(file).uint32(part++).array(piece.length).raw(piece);
        yield writer.take();
      }
      // A file may be empty: one that is fitted to no text has no vectors.
      if (part === 0) yield writer.text(model).text(file).uint32(0).text("").take();
    }
  }
  await connection.insert("models", ["model", "file", "part", "bytes"], rows(), { signal });
  return model;
}

/**
 * Writes the files of a stored embedder to an empty folder. One whose files are of one part each, as those of small lakes are, is fetched by
 * one request.
 * @throws LakeError `cluster_damaged` if there is none, `cluster_older_format` or `cluster_newer_format` if this version does not read it; SearchError `embedder_unreadable`
 */
export async function fetchModel(
  connection: Connection,
  model: string,
  dir: string,
  signal?: AbortSignal,
): Promise<void> {
  await mkdir(dir, { recursive: true });
  const ofModel = "FROM models WHERE model = {model:String}";
  for (let [part, last] = [0, 0]; part <= last; part += 1) {
    const answer = await connection.bytes(
      `SELECT assumeNotNull((SELECT max(part) ${ofModel})), file, bytes ${ofModel} AND part = {part:UInt32} LIMIT 1 BY file`,
      { model, part },
      signal,
    );
    for (const reader = new RowBinaryReader(answer); !reader.done; ) {
      last = reader.uint32();
      const file = reader.text().toString();
      if (!/^[a-z][a-z.]*$/.test(file)) throw damaged(connection, model);
      await writeFile(join(dir, file), reader.text(), { flag: part === 0 ? "w" : "a" });
    }
  }
  const found = await readModelManifest(dir).catch(async (cause: unknown) => {
    const format = await otherModelFormat(dir);
    throw format === undefined
      ? damaged(connection, model, cause)
      : otherFormat(connection, model, format, cause);
  });
  if (modelId(found) !== model) throw damaged(connection, model);
}

/** The error for an embedder whose files are of another version, though all of them are there. */
function otherFormat({ address }: Connection, model: string, format: number, cause: unknown): LakeError {
  const isNewer = format > MODEL_FORMAT;
  return new LakeError(
    isNewer ? "cluster_newer_format" : "cluster_older_format",
    `The embedder ${model} of ${shownClickHouse(address)} has format ${format}, and this version reads ${MODEL_FORMAT}`,
    {
      value: format,
      cause,
      remedy: isNewer ? "Update mirrorlake." : REINSTALL,
    },
  );
}

function damaged({ address }: Connection, model: string, cause?: unknown): LakeError {
  return new LakeError("cluster_damaged", `${shownClickHouse(address)} has not the whole embedder ${model}`, {
    value: model,
    cause,
    remedy: REINSTALL,
  });
}
