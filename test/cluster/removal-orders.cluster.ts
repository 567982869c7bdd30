import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { initCluster } from "../../src/clickhouse/cluster/init-cluster.js";
import { installClickHouse } from "../../src/clickhouse/install-clickhouse.js";
import { openLake } from "../../src/client/open-lake.js";
import { removeRecords } from "../../src/client/remove-records.js";
import type { RemovalTarget } from "../../src/contract/lake/removal.js";
import type { SliceItem } from "../../src/contract/slice/slice-item.js";
import { installSlices } from "../../src/lake/install/install-slices.js";
import { hashOfVideo } from "../../src/store/answered/answered-hashes.js";
import { answeredRecord } from "../../src/store/answered/answered-raw-record.js";
import {
  COMMENTS,
  commentId,
  EMBEDDER,
  QUICK,
  recordId,
  VIDEO,
  videoId,
  videoItems,
  videos,
} from "../evolution/support.js";
import { makeItems, makeRecord, shuffled } from "../lake/items.js";
import { CAMPAIGN } from "../support/campaign.js";
import { ClickHouseNode, clusterOf, INTERPRETED } from "./clickhouse-node.js";
import { useSlices } from "./use-slices.js";

const OPEN = { account: "memory", limits: "off", openingBalance: "1000", embedder: EMBEDDER } as const;
const used = useSlices("removal-orders");

const all = videos(0, 12, 3);
const isRaw = (item: SliceItem, resource: string) => item.kind === "raw" && item.raw.resource === resource;
const isReply = (item: SliceItem) => item.kind === "raw" && item.raw.id.endsWith(`c${COMMENTS - 1}`);
const dataOf = (n: number) => {
  const item = videoItems(n, 3).find((each) => isRaw(each, "video"));
  return item?.kind === "raw" ? item.raw.data : {};
};

/** What takedowns follow from each other by comes in slices of its own. */
const SLICES: Readonly<Record<string, readonly SliceItem[]>> = {
  records: all.filter(({ kind }) => kind === "record"),
  videos: all.filter((item) => isRaw(item, "video")),
  comments: all.filter((item) => isRaw(item, "comment") && !isReply(item)),
  others: [...all.filter(isReply), ...makeItems(0, 30)],
  editions: videos(4, 14, 8, 1),
};

const TAKEDOWNS: readonly (readonly RemovalTarget[])[] = [
  [
    { kind: "record", id: recordId(1) },
    { kind: "record", id: "web_gnw_nothing" },
    { kind: "raw", platform: VIDEO, resource: "video", id: videoId(2) },
    { kind: "raw", platform: VIDEO, resource: "comment", id: commentId(3, 1) },
  ],
  [
    { kind: "author", id: "uid4" },
    { kind: "author", platform: "microblog", id: "u12" },
  ],
  [
    { kind: "hash", hash: makeRecord(5).prov.hash },
    { kind: "hash", hash: answeredRecord(makeRecord(14)).prov.hash },
  ],
  [
    { kind: "hash", hash: hashOfVideo(dataOf(8))! },
    { kind: "hash", hash: `0x${"0".repeat(64)}` },
  ],
];

type Step = string | readonly RemovalTarget[];

/** Installs of all slices and all takedowns, in an order that the seed tells. */
function stepsOf(seed: number): readonly Step[] {
  return shuffled<Step>([...Object.keys(SLICES), ...TAKEDOWNS], seed);
}

beforeAll(async () => {
  for (const [name, items] of Object.entries(SLICES)) await used.write(name, items);
});

/** All records and raw items that a lake shows. */
async function stateOf(lake: string): Promise<unknown> {
  await using client = await openLake(lake, OPEN);
  return client.lake.use(async ({ corpus }) => {
    const page = { orderBy: "id", offset: 0, limit: 1000 } as const;
    const { rows } = await corpus.recordsPage(page);
    return [await corpus.records(rows), await corpus.rawPage({ platform: VIDEO, ...page })];
  });
}

/** What a removal reports, but what only a folder has, and what is hidden: a folder counts from its last install. */
async function reportOf(targets: readonly RemovalTarget[], lake: string): Promise<unknown> {
  const {
    corpus: _,
    withheld: __,
    hidden: ___,
    ...report
  } = await removeRecords(targets, {
    lake,
    reason: "takedown",
  });
  return report;
}

const SEEDS = CAMPAIGN ? Array.from({ length: 40 }, (_, i) => i) : [1];

describe.each(CAMPAIGN ? [1, 2] : [1])(
  "takedowns before and after what follows from them, on %i shards",
  (shards) => {
    let nodes: ClickHouseNode[] = [];
    beforeAll(async () => {
      nodes =
        shards === 1
          ? [await ClickHouseNode.start(INTERPRETED)]
          : await ClickHouseNode.startCluster(shards, { settings: INTERPRETED });
    });
    afterAll(async () => {
      for (const node of nodes) await node.remove();
    });

    test.each(SEEDS)("leave what they leave in a folder after each step, order %i", async (seed) => {
      for (const node of nodes) await node.sql(`CREATE DATABASE order_${seed}`);
      const [lake, folder] = [nodes[0]!.address(`order_${seed}`), join(used.dir, `folder ${shards} ${seed}`)];
      const named = nodes.map(({ port }) => `127.0.0.1:${port}`);
      if (shards > 1) await initCluster({ lake, cluster: clusterOf(shards), nodes: named });
      let installed = false;
      for (const [i, step] of stepsOf(seed).entries()) {
        const at = `step ${i}: ${JSON.stringify(step)}`;
        if (typeof step === "string") {
          await installClickHouse(used.folders([step]), { lake, embedder: EMBEDDER });
          await installSlices(used.folders([step]), { lake: folder, ...QUICK });
          installed = true;
        } else if (installed) {
          expect(await reportOf(step, lake), at).toEqual(await reportOf(step, folder));
        } else continue;
        expect(await stateOf(lake), at).toEqual(await stateOf(folder));
      }
    });
  },
);
