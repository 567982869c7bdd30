import { built } from "../built.js";
import { spread } from "./measure.js";

const { parseUsd } = /** @type {typeof import("../../src/contract/money.js")} */ (
  await built("contract/money.js")
);

const [QUERIES, WARM_UP] = [200, 20];

/** Full hybrid searches, and rankings alone by each mode. */
const ASKED = /** @type {const} */ (["search", "hybrid", "keyword", "semantic"]);

/**
 * Asks all lakes in turn, which hold the same, for titles of theirs: p50 and p99 in ms by what is asked, a list of each by lake.
 * @param {typeof import("../../src/index.js").openLake} openLake of the build that is measured
 * @param {readonly string[]} lakes
 */
export async function compareSearches(openLake, lakes) {
  const clients = [];
  for (const at of lakes) {
    const client = await openLake(at, { limits: "off", account: "memory" });
    await client.account.topUp(parseUsd("1000000"));
    clients.push(client);
  }
  const { corpus } = clients[0].lake;
  const rows = [...corpus.match({}).rows()];
  const asked = QUERIES + WARM_UP;
  const some = Array.from({ length: asked }, (_, i) => rows[Math.floor((i * rows.length) / asked)]);
  const texts = (await corpus.records(some)).map(({ title, text }) => (title ?? text ?? "").slice(0, 80));
  const found = [];
  for (const what of ASKED) {
    const taken = new Map(clients.map((client) => [client, /** @type {number[]} */ ([])]));
    for (const [i, query] of texts.filter((text) => text.trim() !== "").entries()) {
      for (const client of i % 2 === 0 ? clients : clients.toReversed()) {
        const { index, corpus } = client.lake;
        const start = performance.now();
        if (what === "search") await client.search({ query, limit: 20 });
        else await index.rank(query, corpus.match({}), { limit: 20, mode: what });
        if (i >= WARM_UP) taken.get(client)?.push(performance.now() - start);
      }
    }
    const spreads = [...taken.values()].map(spread);
    found.push({
      what,
      lakes: spreads.map(({ p50, p99 }) => `p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms`),
    });
  }
  for (const client of clients) await client.close();
  return found;
}
