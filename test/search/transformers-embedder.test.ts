import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type FeatureExtraction,
  transformersEmbedder,
} from "../../src/search/embed/transformers/transformers-embedder.js";

let modelDir: string;
let runs: string[][];

beforeEach(async () => {
  runs = [];
  modelDir = join(await mkdtemp(join(tmpdir(), "mirrorlake-transformers-")), "tiny-model");
  await mkdir(join(modelDir, "onnx"), { recursive: true });
  await writeFile(join(modelDir, "config.json"), '{"model_type":"bert"}');
  await writeFile(join(modelDir, "onnx/model.onnx"), "weights");
});
afterEach(() => rm(join(modelDir, ".."), { recursive: true, force: true }));

/** A pipeline of the interface that @huggingface/transformers has: a text's vector is its length and its first letter. */
const pipeline: FeatureExtraction = async (texts, options) => {
  expect(options).toEqual({ pooling: "mean", normalize: true });
  runs.push(texts);
  const data = texts.flatMap((text) => [text.length, text.charCodeAt(0), 1]);
  return { dims: [texts.length, 3], data: Float32Array.from(data) };
};
const load = async () => pipeline;

const unit = (...values: number[]) => {
  const length = Math.sqrt(values.reduce((sum, x) => sum + x * x, 0));
  return Float32Array.from(values, (x) => Math.fround(x) / length);
};

describe("the embedder that runs a model in this process", () => {
  it("makes unit vectors in the order of the texts, like lengths together, blanks as zeros", async () => {
    const embedder = await transformersEmbedder({ modelDir, load, batchSize: 2, documentPrefix: "d:" });
    runs = [];
    const texts = ["longest of all", "b", " ", "cc"];
    const vectors = await embedder.embedDocuments(texts);
    expect(runs).toEqual([["d:b", "d:cc"], ["d:longest of all"]]);
    expect(vectors).toEqual([unit(16, 100, 1), unit(3, 100, 1), new Float32Array(3), unit(4, 100, 1)]);
    expect(embedder.dims).toBe(3);
  });

  it("puts a prefix before queries and knows none that are blank", async () => {
    const embedder = await transformersEmbedder({ modelDir, load, queryPrefix: "q:" });
    expect(await embedder.embedQuery("ab")).toEqual(unit(4, 113, 1));
    expect(await embedder.embedQuery("  ")).toBeUndefined();
  });

  it("is named after the model's files, so that no two models are mixed up", async () => {
    const [one, same] = [
      await transformersEmbedder({ modelDir, load }),
      await transformersEmbedder({ modelDir, load }),
    ];
    expect(one.id).toMatch(/^tiny-model-fp32-[0-9a-f]{12}$/);
    expect(same.id).toBe(one.id);
    await writeFile(join(modelDir, "onnx/model.onnx"), "other weights");
    expect((await transformersEmbedder({ modelDir, load })).id).not.toBe(one.id);
    expect((await transformersEmbedder({ modelDir, load, id: "mine" })).id).toBe("mine");
    expect(one.state).toMatchObject({ provider: "transformers", model: "tiny-model", pooling: "mean" });
  });

  it("keeps vectors of documents in a cache, by model, prefix and text", async () => {
    const cacheDir = join(modelDir, "..", "cache");
    const made = async (texts: string[], options: { readonly documentPrefix?: string } = {}) => {
      const embedder = await transformersEmbedder({ modelDir, load, batchSize: 2, cacheDir, ...options });
      runs = [];
      return embedder.embedDocuments(texts);
    };
    const first = await made(["one", " ", "three", "seven"]);
    expect(runs.flat()).toEqual(["one", "three", "seven"]);
    expect(await made(["three", "one", "nineteen"])).toEqual([first[2], first[0], unit(8, 110, 1)]);
    expect(runs).toEqual([["nineteen"]]);
    await made(["one"], { documentPrefix: "d:" });
    expect(runs).toEqual([["d:one"]]);
    await writeFile(join(modelDir, "onnx/model.onnx"), "other weights");
    await made(["one"]);
    expect(runs).toEqual([["one"]]);
  });

  it("goes on where a call was stopped", async () => {
    const texts = Array.from({ length: 200 }, (_, i) => `text ${i}`);
    const cacheDir = join(modelDir, "..", "cache");
    const controller = new AbortController();
    let asked = 0;
    const counted: FeatureExtraction = (batch, options) => {
      asked += batch.length;
      if (asked === 160) controller.abort(new Error("enough"));
      return pipeline(batch, options);
    };
    const open = () => transformersEmbedder({ modelDir, load: async () => counted, cacheDir });
    const stopped = await open();
    asked = 0;
    await expect(stopped.embedDocuments(texts, controller.signal)).rejects.toThrow("enough");
    const next = await open();
    asked = 0;
    const vectors = await next.embedDocuments(texts);
    expect(asked).toBe(72);
    expect(vectors).toEqual(await (await transformersEmbedder({ modelDir, load })).embedDocuments(texts));
  });

  it("stops between batches when aborted", async () => {
    const controller = new AbortController();
    const embedder = await transformersEmbedder({
      modelDir,
      batchSize: 1,
      load: async () => async (texts, options) => {
        if (texts[0] === "two") controller.abort(new Error("enough"));
        return pipeline(texts, options);
      },
    });
    await expect(embedder.embedDocuments(["one", "two", "three"], controller.signal)).rejects.toThrow(
      "enough",
    );
  });

  it("refuses a folder that is not there, token vectors, and models of too many dimensions", async () => {
    await expect(transformersEmbedder({ modelDir: join(modelDir, "absent"), load })).rejects.toMatchObject({
      code: "embedder_unavailable",
    });
    const shaped = (...dims: number[]): Promise<unknown> =>
      transformersEmbedder({
        modelDir,
        load: async () => async () => ({ dims, data: new Float32Array(dims.reduce((a, b) => a * b)) }),
      });
    await expect(shaped(1, 4, 8)).rejects.toMatchObject({ code: "embedder_invalid" });
    await expect(shaped(1, 3072)).rejects.toMatchObject({ code: "embedder_invalid" });
  });

  it("says how to install the package where it is not there", async () => {
    await expect(transformersEmbedder({ modelDir })).rejects.toMatchObject({
      code: "embedder_unavailable",
      remedy: expect.stringContaining("npm install @huggingface/transformers"),
    });
  });
});
