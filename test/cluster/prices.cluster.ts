import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { initCluster } from "../../src/clickhouse/cluster/init-cluster.js";
import { installClickHouse } from "../../src/clickhouse/install-clickhouse.js";
import { type LakeClient, openLake } from "../../src/client/open-lake.js";
import { removeRecords } from "../../src/client/remove-records.js";
import type { RemovalTarget } from "../../src/contract/lake/removal.js";
import type { SliceItem } from "../../src/contract/slice/slice-item.js";
import { installSlices } from "../../src/lake/install/install-slices.js";
import type { Embedder } from "../../src/search/embed/embedder.js";
import { capture } from "../cli/capture.js";
import { EMBEDDER } from "../evolution/support.js";
import { instant, makeItems, makeRecord } from "../lake/items.js";
import { ClickHouseNode, clusterOf, INTERPRETED } from "./clickhouse-node.js";
import { answersOf } from "./lake-answers.js";
import { endLeases } from "./server-faults.js";
import { useSlices } from "./use-slices.js";
import { Wire } from "./wire.js";

const OPEN = { account: "memory", limits: "off", openingBalance: "1000", embedder: EMBEDDER } as const;
const SHOP = "global-marketplace";
/** Products without a change of their own, and one whose source says it. */
const PRODUCTS = [4, 10, 16, 22, 28];
const GIVEN = 7;
const SQL = [
  "SELECT id, price_current, price_drop_7d, prov_hash FROM records ORDER BY id",
  "SELECT product_id, price, priced_at FROM prices ORDER BY product_id, priced_at, price",
];

const used = useSlices("prices");

interface Priced {
  readonly factor?: number;
  readonly currency?: string;
  /** The product that it is a price of, where that is another than its id says. */
  readonly parent?: number;
  readonly capturedLater?: number;
}

/** Prices of a product on some days up to its capture, which is day 10. */
function points(
  n: number,
  days: readonly number[],
  { factor = 1, currency = "USD", parent = n, capturedLater = 0 }: Priced = {},
): SliceItem[] {
  return days.map((day) => ({
    kind: "raw",
    raw: {
      platform: SHOP,
      resource: "price",
      id: `${n}-${day}`,
      parent: String(parent),
      lang: "en",
      captured_at: instant(day - 10 + (n % 40) + capturedLater),
      created_at: instant(day - 10 + (n % 40)),
      score: 0,
      data: { current: factor * (20 + (day * day * ((n % 5) + 1)) / 4), currency },
    },
  }));
}

const days = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);
const pricesOf = (products: readonly number[], which: readonly number[], how?: Priced) =>
  products.flatMap((n) => points(n, which, how));

beforeAll(async () => {
  const { write } = used;
  await write("products", makeItems(0, 30));
  await write("early", pricesOf([...PRODUCTS, GIVEN], days(0, 5)));
  await write("late", pricesOf([...PRODUCTS, GIVEN], days(5, 12)));
  // Later editions of products, of which the prices of one day more count; and of prices, which say otherwise.
  await write("newer", makeItems(8, 20, 1));
  await write("corrected", [
    ...pricesOf([4, 10, 16], [3, 10], { factor: 2, capturedLater: 20 }),
    ...points(22, [10], { currency: "EUR", capturedLater: 20 }),
    ...points(28, [9, 10], { parent: 22, capturedLater: 20 }),
  ]);
  await write("late2", pricesOf([4, 10], [6, 9], { factor: 3 }), "late");
  await write("newer2", makeItems(9, 12, 2), "newer");
  await write("corrected2", points(16, [10], { factor: 5, capturedLater: 30 }), "corrected");
});

const point = (n: number, day: number): RemovalTarget => ({
  kind: "raw",
  platform: SHOP,
  resource: "price",
  id: `${n}-${day}`,
});

/** What is done to a lake, step by step: names of slices that are installed together, or what is removed. */
type Step = readonly string[] | { readonly remove: readonly RemovalTarget[] };

const ORDERS: Readonly<Record<string, readonly Step[]>> = {
  "products first": [
    ["products"],
    ["early"],
    ["late"],
    ["newer"],
    { remove: [point(4, 3), point(10, 10), point(7, 2)] },
    ["corrected"],
    ["late2"],
    { remove: [point(10, 9), { kind: "record", id: makeRecord(22).id }] },
    ["corrected2", "newer2"],
    ["late", "newer", "corrected", "products"],
  ],
  "prices first": [
    ["late"],
    { remove: [point(16, 5)] },
    ["corrected", "newer"],
    ["products", "early"],
    ["newer2"],
    { remove: days(0, 12).flatMap((day) => [point(28, day), point(22, day)]) },
    ["corrected2"],
    ["late2"],
  ],
  // The folder takes the second install in without a rebuild, and without removals before it.
  "with points of another product": [["products", "early", "late"], ["corrected"]],
  "in a few steps": [
    ["products", "late"],
    ["early", "newer"],
    { remove: [point(4, 3), point(10, 10), { kind: "record", id: makeRecord(22).id }] },
    ["late2", "corrected"],
    ["corrected2", "newer2"],
  ],
};

/** All that two lakes agree on after a step. */
async function stateOf(lake: LakeClient): Promise<unknown> {
  await lake.refresh();
  const rows: unknown[] = [];
  for (const text of SQL) rows.push(await lake.sql(text));
  return [await answersOf(lake.lake, []), rows, lake.lake.corpus.slices({ offset: 0, limit: 100 })];
}

/** The states of a lake in a folder after each step of {@link ORDERS}, by the name of the order. */
const states = new Map<string, Promise<unknown[]>>();

function inFolder(order: string): Promise<unknown[]> {
  const known = states.get(order) ?? statesOf(ORDERS[order]!, join(used.dir, `folder ${order}`));
  states.set(order, known);
  return known;
}

async function statesOf(steps: readonly Step[], lake: string): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const step of steps) {
    if ("remove" in step) await removeRecords(step.remove, { lake, reason: "takedown" });
    else await installSlices(used.folders(step), { lake, embedder: EMBEDDER, localSet: false, threads: 1 });
    await using client = await openLake(lake, { ...OPEN, exact: true });
    found.push(await stateOf(client));
  }
  return found;
}

/** @param begun what happens once the slices are being prepared */
function install(names: readonly string[], lake: `clickhouse://${string}`, begun?: () => Promise<unknown>) {
  const embedDocuments: Embedder["embedDocuments"] = async (texts, signal) => {
    await begun?.();
    return EMBEDDER.embedDocuments(texts, signal);
  };
  return installClickHouse(used.folders(names), { lake, embedder: { ...EMBEDDER, embedDocuments } });
}

/** Does a step in a lake on ClickHouse. */
function take(step: Step, lake: `clickhouse://${string}`): Promise<unknown> {
  return "remove" in step ? removeRecords(step.remove, { lake, reason: "takedown" }) : install(step, lake);
}

describe.each([
  { shards: 1, replicas: 1, orders: ["products first", "prices first", "with points of another product"] },
  { shards: 2, replicas: 1, orders: ["in a few steps"] },
  { shards: 3, replicas: 1, orders: ["in a few steps"] },
  { shards: 1, replicas: 2, orders: ["in a few steps"] },
])("prices on $shards shards, $replicas servers each", ({ shards, replicas, orders }) => {
  let nodes: ClickHouseNode[] = [];
  beforeAll(async () => {
    nodes =
      shards * replicas === 1
        ? [await ClickHouseNode.start(INTERPRETED)]
        : await ClickHouseNode.startCluster(shards * replicas, { replicas, settings: INTERPRETED });
  });
  afterAll(async () => {
    for (const node of nodes) await node.remove();
  });

  test.each(orders)("are those of a folder after each step, %s", async (order) => {
    const database = order.replaceAll(" ", "_");
    for (const node of nodes) await node.sql(`CREATE DATABASE ${database}`);
    const lake = nodes[0]!.address(database);
    const named = nodes.flatMap(({ port }) => ["--node", `127.0.0.1:${port}`]);
    if (nodes.length > 1)
      await capture(["cluster", "init", "--lake", lake, "--cluster", clusterOf(shards), ...named]);
    const expected = await inFolder(order);
    for (const [i, step] of ORDERS[order]!.entries()) {
      await take(step, lake);
      await using client = await openLake(lake, OPEN);
      expect(await stateOf(client), `${order}, step ${i}`).toEqual(expected[i]);
    }
    const verified = await capture(["verify", "--lake", lake]);
    expect(verified.code, verified.out).toBe(0);
  });
});

describe("an install that changes prices of another one", () => {
  let node: ClickHouseNode;
  let wire: Wire;
  beforeAll(async () => {
    node = await ClickHouseNode.start(INTERPRETED);
    wire = await Wire.to(node.port);
  });
  afterAll(async () => {
    wire.remove();
    await node.remove();
  });

  async function shown(lake: `clickhouse://${string}`): Promise<unknown> {
    await using client = await openLake(lake, OPEN);
    return await stateOf(client);
  }

  test("holds though others became visible while it was prepared, and changes no view of before", async () => {
    await node.sql("CREATE DATABASE overtaken");
    const lake = node.address("overtaken");
    const gone = { remove: [point(10, 6), point(4, 8)] };
    await install(["products"], lake);
    await using reader = await openLake(lake, OPEN);
    const before = await answersOf(reader.lake, []);
    let others: Promise<unknown> | undefined;
    await install(["early", "newer"], lake, async () => {
      others ??= install(["late"], lake).then(() => install(["corrected"], lake));
      await others;
    });
    expect(await answersOf(reader.lake, [])).toEqual(before);
    const [, , all, left] = await statesOf(
      [["products"], ["late"], ["corrected", "early", "newer"], gone],
      join(used.dir, "overtaken"),
    );
    expect(await shown(lake)).toEqual(all);
    await take(gone, lake);
    // It could not tell what the removal leaves of prices that it does not have.
    expect(await answersOf(reader.lake, [])).toEqual((left as unknown[])[0]);
    expect(await shown(lake)).toEqual(left);
  });

  test("that is struck in the middle shows nothing or all, and can be repeated", async () => {
    await node.sql("CREATE DATABASE struck");
    const lake = `clickhouse://default@127.0.0.1:${wire.port}/struck?timeout=20` as const;
    const [, , before, after] = await statesOf(
      [["products"], ["early"], ["late"], ["newer", "corrected"]],
      join(used.dir, "struck"),
    );
    await install(["products"], lake);
    await install(["early"], lake);
    const start = wire.pieces;
    await install(["late"], lake);
    const pieces = wire.pieces - start;
    for (const share of [0.7, 0.9]) {
      let killed: Promise<unknown> | undefined;
      wire.after(Math.ceil(pieces * share), () => {
        killed = node.kill();
      });
      await install(["newer", "corrected"], lake).catch(() => {});
      wire.disarm();
      await killed;
      await node.up();
      await endLeases({ node }, "struck");
      expect([before, after], `at ${share}`).toContainEqual(await shown(lake));
    }
    await install(["newer", "corrected"], lake);
    expect(await shown(lake)).toEqual(after);
  });

  test("is refused by tables of version 6, which are read, and taken by them once they are brought up to date", async () => {
    await node.sql("CREATE DATABASE older");
    const lake = node.address("older");
    const [gone, more] = [{ remove: [point(4, 1), point(10, 10)] }, { remove: [point(16, 2)] }];
    const [, first, second, third] = await statesOf(
      [["products", "early", "late"], gone, more, ["corrected"]],
      join(used.dir, "older"),
    );
    await install(["products", "early", "late"], lake);
    await node.sql("ALTER TABLE redactions DROP COLUMN turn, DROP COLUMN quotes", "older");
    await node.sql("TRUNCATE TABLE schema_version", "older");
    await node.sql("INSERT INTO schema_version (version) VALUES (6)", "older");
    // As on several servers, whose tables an install leaves as they are.
    await node.sql("CREATE TABLE schema_version_local AS schema_version", "older");
    await take(gone, lake);
    expect(await shown(lake)).toEqual(first);
    await take(more, lake);
    await expect(install(["corrected"], lake)).rejects.toMatchObject({ code: "cluster_older_format" });
    expect(await shown(lake)).toEqual(second);
    await node.sql("DROP TABLE schema_version_local SYNC", "older");
    expect(await initCluster({ lake })).toMatchObject({ state: "upgraded", version: 8 });
    expect(await shown(lake)).toEqual(second);
    await install(["corrected"], lake);
    expect(await shown(lake)).toEqual(third);
  });
});
