import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { headersOf, randomOther, randomSearch, requestText } from "./requests.js";

/** @import { Agent } from "node:http" */
/** @import { Socket } from "node:net" */
/** @import { Random } from "../fixtures/random.js" */
/** @import { Asked, Target } from "./requests.js" */

/** @typedef {{ readonly latencies: number[]; readonly statuses: Map<string, number>; }} Tally */

/**
 * What a client has to do with: whom it asks, over which connections, by what dice, and where it counts.
 * @typedef {{
 *   readonly target: Target;
 *   readonly agent: Agent;
 *   readonly random: Random;
 *   readonly tally: Tally;
 *   readonly sockets: Set<Socket>;
 * }} Setting
 */

/** Longest time, ms, that a client holds a connection that it does not read, or reads slowly. */
const SLOW_MS = 8000;
const BATCH = 10;

/**
 * Asks and reads the answer to its end. Its status is counted; where `measured`, so is its time.
 * @param {Setting} setting
 * @param {Asked} asked
 * @param {boolean} measured
 * @returns {Promise<void>}
 */
function ask(setting, asked, measured) {
  const { target, agent, tally } = setting;
  const { host, port } = target;
  const { method, path, body } = asked;
  const started = performance.now();
  return new Promise((resolve, reject) => {
    const sent = request(
      { host, port, agent, method, path, headers: headersOf(target, asked) },
      (response) => {
        response.resume();
        response.on("error", reject);
        response.on("end", () => {
          count(tally, String(response.statusCode));
          if (measured) tally.latencies.push(performance.now() - started);
          resolve();
        });
      },
    );
    sent.on("error", (error) => {
      // The server may close a connection in the moment in which it is used again.
      if (!sent.reusedSocket || /** @type {NodeJS.ErrnoException} */ (error).code !== "ECONNRESET")
        reject(error);
      else ask(setting, asked, measured).then(resolve, reject);
    });
    sent.end(body);
  });
}

/**
 * Asks and goes away after a moment, wherever the answer is by then.
 * @param {Setting} setting
 * @param {Asked} asked
 * @returns {Promise<void>}
 */
async function abort({ target, random, tally, sockets }, asked) {
  const socket = open(target, sockets);
  socket.resume();
  socket.write(requestText(target, asked));
  await sleep(random.int(0, 40));
  socket.destroy();
  count(tally, "aborted");
}

/**
 * Sends many requests at once, and reads their answers.
 * @param {Setting} setting
 * @returns {Promise<void>}
 */
async function pipeline({ target, random, tally, sockets }) {
  const socket = open(target, sockets);
  const asked = Array.from({ length: BATCH }, () => requestText(target, randomSearch(random)));
  asked.push(
    requestText(target, { method: "GET", path: "/v1/none" }).replace("\r\n", "\r\nconnection: close\r\n"),
  );
  socket.write(asked.join(""));
  let tail = "";
  for await (const chunk of socket) {
    const text = tail + chunk.toString("latin1");
    for (const [, status = ""] of text.matchAll(/HTTP\/1\.1 (\d{3}) /g))
      if (status !== "404") count(tally, status);
    tail = text.slice(-12).includes("HTTP/1") ? text.slice(text.lastIndexOf("HTTP/1")) : "";
  }
}

/**
 * Sends many requests at once, reads nothing, and goes away.
 * @param {Setting} setting
 * @returns {Promise<void>}
 */
async function leaveUnread({ target, random, tally, sockets }) {
  const socket = open(target, sockets);
  const asked = Array.from({ length: BATCH }, () =>
    random.chance(0.7) ? randomSearch(random) : randomOther(target, random),
  );
  socket.write(asked.map((each) => requestText(target, each)).join(""));
  await sleep(random.int(100, SLOW_MS));
  socket.destroy();
  count(tally, "unread");
}

/**
 * Reads a file of a slice a little at a time.
 * @param {Setting} setting
 * @returns {Promise<void>}
 */
async function readSlowly({ target, random, tally, sockets }) {
  const socket = open(target, sockets);
  socket.write(requestText(target, random.chance(0.5) ? randomOther(target, random) : randomSearch(random)));
  const until = performance.now() + random.int(500, SLOW_MS);
  while (performance.now() < until && !socket.destroyed) {
    await sleep(200);
    socket.read(4096);
  }
  socket.destroy();
  count(tally, "read slowly");
}

/**
 * Sends a request a little at a time.
 * @param {Setting} setting
 * @returns {Promise<void>}
 */
async function sendSlowly({ target, random, tally, sockets }) {
  const socket = open(target, sockets);
  socket.resume();
  const text = requestText(target, randomSearch(random));
  const steps = random.int(2, 8);
  for (let i = 0; i < steps && !socket.destroyed; i++) {
    socket.write(
      text.slice(Math.floor((i * text.length) / steps), Math.floor(((i + 1) * text.length) / steps)),
    );
    await sleep(200);
  }
  if (random.chance(0.5)) await sleep(300);
  socket.destroy();
  count(tally, "sent slowly");
}

/**
 * @param {Target} target
 * @param {Set<Socket>} sockets
 * @returns {Socket}
 */
function open({ host, port }, sockets) {
  const socket = connect({ host, port });
  sockets.add(socket);
  // A client that breaks a connection on purpose expects its error.
  socket.on("error", () => socket.destroy());
  once(socket, "close").then(() => sockets.delete(socket));
  return socket;
}

/**
 * @param {Tally} tally
 * @param {string} what
 */
function count({ statuses }, what) {
  statuses.set(what, (statuses.get(what) ?? 0) + 1);
}

/** @typedef {{ readonly share: number; readonly searches: number; run(setting: Setting): Promise<void>; }} Kind */

/**
 * Kinds of clients: their share of all, and how many searches one counts for.
 * @type {readonly Kind[]}
 */
export const KINDS = [
  { share: 0.76, searches: 1, run: (setting) => ask(setting, randomSearch(setting.random), true) },
  {
    share: 0.06,
    searches: 0,
    run: (setting) => ask(setting, randomOther(setting.target, setting.random), false),
  },
  { share: 0.06, searches: 1, run: (setting) => abort(setting, randomSearch(setting.random)) },
  { share: 0.03, searches: 0, run: (setting) => abort(setting, randomOther(setting.target, setting.random)) },
  { share: 0.02, searches: BATCH, run: pipeline },
  { share: 0.02, searches: BATCH, run: leaveUnread },
  { share: 0.03, searches: 1, run: readSlowly },
  { share: 0.02, searches: 1, run: sendSlowly },
];
