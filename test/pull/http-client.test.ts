import { expect, test } from "vitest";
import { systemEnvironment } from "../../src/corpus/pull/environment.js";
import { HttpClient } from "../../src/corpus/pull/http-client.js";

/** A source whose body stops after ten bytes and is deaf to aborts, as fetch's is once its request has been collected. */
const deaf = async () =>
  new Response(new ReadableStream({ start: (stream) => stream.enqueue(new Uint8Array(10)) }));

function client(stallMs: number, signal?: AbortSignal) {
  return new HttpClient({ environment: { ...systemEnvironment, fetch: deaf }, stallMs, signal });
}

function drain(http: HttpClient, onBytes: () => void = () => {}) {
  return http.exchange("http://source.example/x", {}, async ({ body }) => {
    for await (const _ of body) onBytes();
  });
}

test("an abort ends the wait for a body that no abort reaches", async () => {
  const stop = new AbortController();
  const run = drain(client(60_000, stop.signal), () => stop.abort(new Error("Ctrl-C")));
  await expect(run).rejects.toThrow("Ctrl-C");
});

test("a stall ends the wait for a body that no abort reaches", async () => {
  await expect(drain(client(20))).rejects.toMatchObject({ message: expect.stringContaining("no byte came") });
});
