// Asks the tools of a lake --calls varied calls, follows what each names next for at most --follow answers, and says whether the answers
// kept their promises: within the budget, without a vector, everything brought exactly once.
import { parseArgs } from "node:util";
import { openLake } from "mirrorlake";
import { tools } from "mirrorlake/tools";
import { splitAnswer, walkAnswers } from "./walk-answers.js";

const { values } = parseArgs({
  options: {
    lake: { type: "string", default: ".mirrorlake/real" },
    calls: { type: "string", default: "1000" },
    follow: { type: "string", default: "60" },
    seed: { type: "string", default: "2026" },
  },
});

let state = Number(values.seed);
/** @param {number} below */
const random = (below) => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
};
/** @template T @param {readonly T[]} all */
const one = (all) => /** @type {T} */ (all[random(all.length)]);

const lake = await openLake(values.lake, { account: "memory", limits: "off", openingBalance: "100000" });
const rows = /** @type {{ id: string, platform: string, text: string | null }[]} */ (
  await lake.sql(
    "SELECT id, platform, coalesce(text, title) AS text FROM records USING SAMPLE reservoir(400 ROWS) REPEATABLE (1)",
  )
);
const parents = /** @type {{ platform: string, item: string }[]} */ (
  await lake.sql(
    "SELECT platform, item_id AS item FROM comments GROUP BY ALL ORDER BY count(*) DESC, item LIMIT 200",
  )
);
const words = () => (one(rows).text ?? "news").slice(random(20), 20 + random(60)).trim() || "news";
const platforms = [...new Set(rows.map(({ platform }) => platform))];
const lists = lake.catalogue.filter(({ operation }) => ["records", "ranking"].includes(operation));

/** @type {readonly (() => { tool: string; arguments: Record<string, unknown> })[]} */
const KINDS = [
  () => ({ tool: "search", arguments: { query: words(), limit: 1 + random(100) } }),
  () => ({
    tool: "search",
    arguments: { query: words(), platforms: [one(platforms)], limit: 1 + random(100) },
  }),
  () => ({ tool: "get_item", arguments: { id: one(rows).id } }),
  () => {
    const { platform, item } = one(parents);
    return {
      tool: "list_items",
      arguments: { platform, resource: "comments", id: item, count: 1 + random(50) },
    };
  },
  () => {
    const { platform, resource } = one(lists);
    return {
      tool: "list_items",
      arguments: { platform, resource, count: 1 + random(50), cursor: random(50) },
    };
  },
  () => ({ tool: "list_datasets", arguments: { limit: 1 + random(20) } }),
  () => ({ tool: "list_platforms", arguments: {} }),
  () => ({
    tool: "query_sql",
    arguments: {
      query: `SELECT * FROM records WHERE platform = '${one(platforms)}' ORDER BY id LIMIT ${1 + random(200)}`,
    },
  }),
];

const sum = { calls: 0, whole: 0, answers: 0, records: 0, refused: 0, most: 0, mostOf: 0 };
const started = performance.now();
try {
  while (sum.calls < Number(values.calls)) {
    const budget = one([1_000, 2_000, 8_000, 25_000]);
    const set = new Map(tools(lake, { tokens: budget }).map((tool) => [tool.name, tool]));
    const call = one(KINDS)();
    let answers = 0;
    let bad = false;
    const seen = await walkAnswers(set, call, (answer, { arguments: asked }) => {
      sum.answers++;
      sum.most = Math.max(sum.most, answer.tokens / budget);
      if (answer.tokens > budget)
        throw new Error(`${answer.tokens} of ${budget} tokens: ${JSON.stringify(asked)}`);
      if (/"vec"\s*:/.test(answer.text) || /(?:-?\d+\.\d+,){100}/.test(answer.text))
        throw new Error("a vector");
      splitAnswer(answer.text);
      bad ||= answer.isError;
      // A list of the whole platform is endless: enough of it is followed.
      if (++answers > Number(values.follow)) throw new RangeError("enough");
    }).catch((error) => {
      if (bad) sum.refused++;
      if (bad || error instanceof RangeError) return undefined;
      throw new Error(`${JSON.stringify(call)} with ${budget} tokens`, { cause: error });
    });
    sum.calls++;
    if (seen !== undefined) sum.whole++;
    sum.records += seen?.records.length ?? 0;
    if (seen !== undefined && call.tool === "search") {
      const { data } = await lake.search(
        /** @type {any} */ ({ freshness: "90d", ...call.arguments, format: "records" }),
      );
      const got = JSON.stringify(seen.records.map(({ value }) => value));
      if (got !== JSON.stringify(data))
        throw new Error(`not what the service answers: ${JSON.stringify(call)}`);
      sum.mostOf++;
    }
  }
  console.log(
    `${sum.answers} answers of ${sum.calls} varied calls in ${((performance.now() - started) / 1000).toFixed(0)} s: none over its budget (at most ${(sum.most * 100).toFixed(1)} % of it), none with a vector, every next call worked, ${sum.whole} calls followed to their end, ${sum.records} records brought once; ${sum.mostOf} searches compared with the service's answer; ${sum.refused} calls refused`,
  );
} finally {
  await lake.close();
}
