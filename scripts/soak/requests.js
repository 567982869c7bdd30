/** @import { Random } from "../fixtures/random.js" */

/** A server that is under load, and what it can be asked for. */
/**
 * @typedef {{
 *   readonly host: string;
 *   readonly port: number;
 *   readonly apiKey: string;
 *   readonly files: readonly { readonly path: string; readonly bytes: number; }[];
 * }} Target
 */

/** @typedef {{ readonly method: string; readonly path: string; readonly body?: string; }} Asked */

const WORDS = [
  ..."kopi susu banjir jakarta wireless mouse charger aceite oliva leche precio market inflation president".split(
    " ",
  ),
  ..."手机 音乐 北京 天气 電影 美食 solana wallet shoes hiking recipe camera review barang bagus".split(" "),
];
const FORMATS = /** @type {const} */ (["vectors+provenance", "vectors+provenance", "records"]);
const OTHERS = [
  "/v1/raw/short-video/comments?item_id=7400000000000000123&count=20",
  "/v1/datasets/slices?limit=20",
  "/openapi.json",
];

/**
 * A search of one to three words.
 * @param {Random} random
 * @returns {Asked}
 */
export function randomSearch(random) {
  const words = Array.from({ length: random.int(1, 3) }, () => random.pick(WORDS));
  const body = {
    query: words.join(" "),
    format: random.pick(FORMATS),
    freshness: random.pick(["30d", "90d"]),
    limit: random.pick([5, 20, 20, 50]),
  };
  return { method: "POST", path: "/v1/search", body: JSON.stringify(body) };
}

/**
 * Something besides a search: a list, a document, a whole file of a slice.
 * @param {Target} target
 * @param {Random} random
 * @returns {Asked}
 */
export function randomOther({ files }, random) {
  if (random.chance(0.5)) return { method: "GET", path: random.pick(OTHERS) };
  return { method: "GET", path: random.pick(files).path };
}

/**
 * Headers of a request.
 * @param {Target} target
 * @param {Asked} asked
 * @returns {Record<string, string>}
 */
export function headersOf({ host, port, apiKey }, { body }) {
  return {
    host: `${host}:${port}`,
    "x-api-key": apiKey,
    ...(body === undefined
      ? {}
      : { "content-type": "application/json", "content-length": String(Buffer.byteLength(body)) }),
  };
}

/**
 * A request as text, to be written to a socket.
 * @param {Target} target
 * @param {Asked} asked
 * @returns {string}
 */
export function requestText(target, asked) {
  const headers = Object.entries(headersOf(target, asked)).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${asked.method} ${asked.path} HTTP/1.1\r\n${headers.join("")}\r\n${asked.body ?? ""}`;
}
