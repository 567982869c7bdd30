import { Agent } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { KINDS } from "./clients.js";

/** @import { Random } from "../fixtures/random.js" */
/** @import { Kind, Tally } from "./clients.js" */
/** @import { Target } from "./requests.js" */

/** Longest time, ms, that a connection waits for the next request: less than the server's. */
const IDLE_MS = 2000;

/** A mixed load on a server, so many searches a second whether it keeps up or not. */
export class Load {
  /** @type {Tally} */
  tally = { latencies: [], statuses: new Map() };
  /** @type {Error | undefined} */
  failure;
  #isOver = false;
  /** @type {Set<Promise<void>>} */
  #running = new Set();
  /** @type {Set<import("node:net").Socket>} */
  #sockets = new Set();

  /**
   * @param {Target} target
   * @param {{ readonly perSecond: number; readonly random: Random; }} options
   */
  constructor(target, { perSecond, random }) {
    this.target = target;
    this.perSecond = perSecond;
    this.random = random;
  }

  /** Clients that are at work. */
  get running() {
    return this.#running.size;
  }

  /**
   * Loads the server for a time, then waits until every client has gone.
   * @param {number} ms
   * @returns {Promise<void>}
   */
  async run(ms) {
    // A connection that the server is about to close must not be used again.
    const agent = new Agent({ keepAlive: true, maxSockets: 64, timeout: IDLE_MS });
    const { target, random, tally } = this;
    const setting = { target, agent, random, tally, sockets: this.#sockets };
    const started = performance.now();
    for (let due = started; due < started + ms && this.failure === undefined; ) {
      const kind = this.#pick();
      this.#start(kind.run(setting));
      due += (kind.searches / this.perSecond) * 1000;
      const early = due - performance.now();
      if (early > 0) await sleep(early);
    }
    await Promise.race([Promise.allSettled(this.#running), sleep(15_000, undefined, { ref: false })]);
    // Who is still at work is behind by more than anybody waits, and is sent away.
    this.#isOver = true;
    agent.destroy();
    for (const socket of this.#sockets) socket.destroy();
    await Promise.allSettled(this.#running);
    this.#isOver = false;
  }

  /** @returns {Kind} */
  #pick() {
    let at = this.random.next();
    for (const kind of KINDS) {
      at -= kind.share;
      if (at < 0) return kind;
    }
    return KINDS[0];
  }

  /** @param {Promise<void>} client */
  #start(client) {
    const done = client
      .catch((error) => {
        if (!this.#isOver) this.failure ??= error;
      })
      .finally(() => this.#running.delete(done));
    this.#running.add(done);
  }
}
