import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { RowSet } from "../../src/contract/lake/row-set.js";
import { buildIndex } from "../../src/search/build-index.js";
import { type OpenaiEmbedderOptions, openaiEmbedder } from "../../src/search/embed/openai/openai-embedder.js";
import { VectorCache } from "../../src/search/embed/vector-cache.js";
import { openIndex } from "../../src/search/open-index.js";

interface Asked {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: { model: string; input: string[]; dimensions?: number };
}
type Fault = (response: ServerResponse, asked: Asked) => boolean | Promise<boolean>;

let server: Server;
let baseUrl: string;
let dir: string;
let asked: Asked[];
/** What goes wrong with each next request; `false` lets it be answered. */
let faults: Fault[];

/** Eight numbers from a text's letters, not of length 1. */
const embeddingOf = (text: string) =>
  Array.from({ length: 8 }, (_, i) => [...text].filter((c) => c.charCodeAt(0) % 8 === i).length + 0.25);
const unit = (values: readonly number[]) => {
  const length = Math.sqrt(values.reduce((sum, x) => sum + x * x, 0));
  return Float32Array.from(values, (x) => x / length);
};

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let text = "";
  for await (const chunk of request) text += chunk;
  const body = JSON.parse(text);
  const one = { path: request.url!, authorization: request.headers.authorization, body };
  asked.push(one);
  if (await faults.shift()?.(response, one)) return;
  const data = body.input.map((input: string, index: number) => ({ index, embedding: embeddingOf(input) }));
  answer(response, 200, { data: data.reverse() });
}

function answer(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}

const failWith =
  (status: number, headers = {}): Fault =>
  (response) => {
    answer(response, status, { error: { message: `fault ${status}` } }, headers);
    return true;
  };

beforeEach(async () => {
  asked = [];
  faults = [];
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-openai-"));
  server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(dir, { recursive: true, force: true });
});

const open = (options: Partial<OpenaiEmbedderOptions> = {}) =>
  openaiEmbedder({ model: "letters", baseUrl, dimensions: 8, backoffMs: 1, ...options });

describe("the OpenAI-compatible embedder", () => {
  it("asks in batches, in order, and brings vectors to unit norm", async () => {
    const embedder = await open({ apiKey: "sk-test", batchSize: 2, concurrency: 2 });
    const texts = ["alpha", "beta", "", "gamma", "alpha", "  "];
    const vectors = await embedder.embedDocuments(texts);
    expect(vectors).toEqual(
      texts.map((text) => (text.trim() === "" ? new Float32Array(8) : unit(embeddingOf(text)))),
    );
    expect(asked.map(({ body }) => body.input).sort()).toEqual([["alpha", "beta"], ["gamma"]]);
    expect(asked[0]).toMatchObject({
      path: "/v1/embeddings",
      authorization: "Bearer sk-test",
      body: { model: "letters", encoding_format: "float" },
    });
    expect(asked[0]!.body).not.toHaveProperty("dimensions");
    expect(embedder).toMatchObject({ id: "letters", dims: 8, state: { model: "letters", dimensions: 8 } });
    expect(await embedder.embedQuery(" ")).toBeUndefined();
  });

  it("puts prefixes before texts and queries, cuts long ones, asks for shorter vectors", async () => {
    const embedder = await open({
      documentPrefix: "passage: ",
      queryPrefix: "query: ",
      maxCharacters: 5,
      shorten: true,
    });
    await embedder.embedDocuments(["abcdefgh"]);
    await embedder.embedQuery("what is it");
    expect(asked.map(({ body }) => body.input)).toEqual([["passage: abcde"], ["query: what "]]);
    expect(asked[0]!.body.dimensions).toBe(8);
    expect(embedder.id).toBe("letters-8");
  });

  it("understands embeddings in base64", async () => {
    faults = [
      (response, { body }) => {
        const encode = (text: string) =>
          Buffer.from(Float32Array.from(embeddingOf(text)).buffer).toString("base64");
        answer(response, 200, { data: body.input.map((text) => ({ embedding: encode(text) })) });
        return true;
      },
    ];
    expect(await (await open()).embedDocuments(["one", "two"])).toEqual([
      unit(embeddingOf("one")),
      unit(embeddingOf("two")),
    ]);
  });

  it("tries again after faults that pass: limits, broken connections, half answers, silence", async () => {
    faults = [
      failWith(429),
      failWith(503),
      (response) => {
        response.destroy();
        return true;
      },
      (response) => {
        response.writeHead(200, { "content-type": "application/json" });
        response.end('{"data":[{"index":0,"embed');
        return true;
      },
      () => true, // never answered
    ];
    const embedder = await open({ timeoutMs: 1500 });
    expect(await embedder.embedQuery("patience")).toEqual(unit(embeddingOf("patience")));
    expect(asked).toHaveLength(6);
  });

  it("waits as long as Retry-After says", async () => {
    const waits: number[] = [];
    let last = performance.now();
    const timed =
      (header: () => string): Fault =>
      (response, one) =>
        failWith(429, { "retry-after": header() })(response, one);
    faults = [timed(() => "1"), timed(() => new Date(Date.now() + 2000).toUTCString())];
    const embedder = await open({
      fetch: (...args) => {
        waits.push(performance.now() - last);
        last = performance.now();
        return fetch(...args);
      },
    });
    await embedder.embedQuery("later");
    expect(waits).toHaveLength(3);
    expect(waits[1]).toBeGreaterThanOrEqual(990);
    expect(waits[2]).toBeGreaterThanOrEqual(900);
  });

  it("takes a Retry-After that HTTP does not know for none, as other calls do", async () => {
    for (const header of ["2999-01-01T00:00:00Z", "4102444800.5", "soon"]) {
      asked = [];
      faults = [failWith(429, { "retry-after": header })];
      expect(await (await open({ retries: 1 })).embedQuery("x")).toEqual(unit(embeddingOf("x")));
      expect(asked, header).toHaveLength(2);
    }
  });

  it("gives up with what the server said, without the key, once the attempts are used up", async () => {
    faults = Array.from({ length: 3 }, () => failWith(500));
    const failure = await open({ retries: 2, apiKey: "sk-secret" }).then((embedder) =>
      embedder.embedQuery("x").catch((error: unknown) => error),
    );
    expect(failure).toMatchObject({
      code: "embedder_unavailable",
      message: expect.stringContaining("fault 500"),
    });
    expect(JSON.stringify(failure) + String(failure)).not.toContain("sk-secret");
    expect(asked).toHaveLength(3);
  });

  it("does not try again what will not pass", async () => {
    for (const status of [400, 401, 404, 302]) {
      asked = [];
      faults = [failWith(status, status === 302 ? { location: "http://127.0.0.1:9/" } : {})];
      const embedder = await open({ retries: status === 302 ? 0 : 5 });
      await expect(embedder.embedQuery("x")).rejects.toMatchObject({
        code: status === 302 ? "embedder_unavailable" : "embedder_refused",
      });
      expect(asked).toHaveLength(1);
    }
  });

  it("refuses vectors of other dimensions and lists of another length", async () => {
    await expect((await open({ dimensions: 16 })).embedQuery("x")).rejects.toMatchObject({
      code: "embedder_invalid",
      value: 8,
    });
    faults = [
      (response) => {
        answer(response, 200, { data: [] });
        return true;
      },
    ];
    await expect((await open()).embedQuery("x")).rejects.toMatchObject({ code: "embedder_invalid" });
    for (const dimensions of [0, 1.5, 3072]) {
      await expect(open({ dimensions })).rejects.toMatchObject({
        code: "embedder_invalid",
        value: dimensions,
      });
    }
  });

  it("stops at once when aborted, while it waits as well", async () => {
    faults = [failWith(429, { "retry-after": "30" }), () => true];
    const embedder = await open();
    for (const _ of [1, 2]) {
      const controller = new AbortController();
      const answered = embedder.embedQuery("never", controller.signal);
      setTimeout(() => controller.abort(new Error("enough")), 50);
      await expect(answered).rejects.toThrow("enough");
    }
    await expect(embedder.embedQuery("x", AbortSignal.abort(new Error("before")))).rejects.toThrow("before");
  });

  it("keeps vectors on disk, so that nothing is asked twice, and shares them", async () => {
    const texts = Array.from({ length: 10 }, (_, i) => `text ${i}`);
    const first = await open({ cacheDir: dir, batchSize: 4 });
    const vectors = await first.embedDocuments(texts);
    expect(asked).toHaveLength(3);
    const second = await open({ cacheDir: dir, batchSize: 4 });
    expect(await second.embedDocuments([...texts].reverse())).toEqual([...vectors].reverse());
    expect(asked).toHaveLength(3);
    await (await open({ cacheDir: dir, id: "another" })).embedDocuments(["text 0"]);
    expect(asked).toHaveLength(4);
  });

  it("keeps the batches that were answered when a later one fails", async () => {
    faults = [() => false, failWith(400)];
    const embedder = await open({ cacheDir: dir, batchSize: 1, concurrency: 1 });
    await expect(embedder.embedDocuments(["a", "b"])).rejects.toMatchObject({ code: "embedder_refused" });
    await (await open({ cacheDir: dir, batchSize: 1, concurrency: 1 })).embedDocuments(["a", "b"]);
    expect(asked.map(({ body }) => body.input[0])).toEqual(["a", "b", "b"]);
  });

  it("ranks a lake's index by its vectors", async () => {
    const embedder = await open({ cacheDir: dir });
    const index = join(dir, "index");
    await buildIndex(
      index,
      async function* () {
        yield ["aaaa", "bbbb", "cccc"].map((text, i) => ({ id: `web_gnw_${i}`, lang: "en", text }));
      },
      { embedder },
    );
    const opened = await openIndex(index, { embedder });
    const ranking = await opened.rank("bb", RowSet.all(3), { limit: 1, mode: "semantic" });
    expect(ranking).toMatchObject({ rows: [1], embedder: "letters" });
    await opened.close();
  });
});

describe("the cache of vectors", () => {
  const entry = (n: number) => [VectorCache.key("m", String(n)), Float32Array.of(n, -n)] as const;

  it("passes over files that a crash or a disk has damaged, and leftovers of a kill", async () => {
    const cache = await VectorCache.open(dir, 2);
    await cache.put([entry(1), entry(2)]);
    await cache.put([entry(3)]);
    await cache.put([entry(4)]);
    const names = (await readdir(dir)).sort();
    const holder = async (n: number) => {
      for (const name of names) {
        if ((await readFile(join(dir, name))).includes(Buffer.from(entry(n)[0], "hex")))
          return join(dir, name);
      }
      throw new Error(`no file holds ${n}`);
    };
    await truncate(await holder(3), 70);
    const flipped = await holder(4);
    const bytes = await readFile(flipped);
    bytes[60]! ^= 1;
    await writeFile(flipped, bytes);
    await writeFile(join(dir, "0123456789abcdef.tmp"), "half");
    const again = await VectorCache.open(dir, 2);
    expect(await again.get(entry(1)[0])).toEqual(Float32Array.of(1, -1));
    expect(await again.get(entry(2)[0])).toEqual(Float32Array.of(2, -2));
    expect(await again.get(entry(3)[0])).toBeUndefined();
    expect(await again.get(entry(4)[0])).toBeUndefined();
    await again.put([entry(4)]);
    expect(await again.get(entry(4)[0])).toEqual(Float32Array.of(4, -4));
  });

  it("goes on in a folder that is cleared while it is used", async () => {
    const cache = await VectorCache.open(dir, 2);
    await cache.put([entry(1)]);
    const reader = await VectorCache.open(dir, 2);
    await cache.put([entry(2)]);
    expect(await reader.get(entry(1)[0])).toBeDefined();
    await rm(dir, { recursive: true });
    expect(await reader.get(entry(2)[0])).toBeUndefined();
    expect(await (await VectorCache.open(dir, 2)).get(entry(1)[0])).toBeUndefined();
    await rm(dir, { recursive: true });
    await reader.put([entry(2)]);
    expect(await reader.get(entry(2)[0])).toEqual(Float32Array.of(2, -2));
    const late = await VectorCache.open(dir, 2);
    await rm(dir, { recursive: true });
    expect(await late.get(entry(2)[0])).toBeUndefined();
  });

  it("holds no vectors of other dimensions", async () => {
    await (await VectorCache.open(dir, 2)).put([entry(1)]);
    expect(await (await VectorCache.open(dir, 3)).get(entry(1)[0])).toBeUndefined();
  });
});
