import type { LakeClient } from "../../src/client/open-lake.js";
import { VIDEO, videoId } from "../evolution/support.js";
import type { ClickHouseNode } from "./clickhouse-node.js";
import type { Wire } from "./wire.js";

/** A server of the cluster, and the ways to it. */
export interface Server {
  readonly node: ClickHouseNode;
  readonly http: Wire;
  readonly tcp: Wire;
}

/** What a lake shows of its records and raw items. */
export async function contentOf({ lake }: LakeClient): Promise<unknown> {
  const { corpus } = lake;
  const { rows, total } = await corpus.recordsPage({ orderBy: "id", offset: 0, limit: 1000 });
  const raw = await corpus.rawPage({ platform: VIDEO, orderBy: "id", offset: 0, limit: 1000 });
  return [total, await corpus.records(rows), raw];
}

/** Calls of several kinds, and what they answer, or the code by which they fail. */
export async function answersOf(client: LakeClient): Promise<unknown[]> {
  const calls: readonly (readonly [string, Record<string, unknown>])[] = [
    ["search", { query: "giraffe video edition", limit: 20, freshness: "90d" }],
    ["search", { query: '"video edition"', limit: 5, freshness: "90d" }],
    ["raw.short-video.comments", { item_id: videoId(3), count: 20 }],
  ];
  return Promise.all(
    calls.map(([id, params]) =>
      client.call(id, params).then(
        ({ data }) => data,
        (error: { code: string }) => error.code,
      ),
    ),
  );
}

/** A fault: its name, what begins it, and what ends it. */
export type Fault = readonly [string, (server: Server) => unknown, (server: Server) => unknown];

/** What can happen to a server. */
export const FAULTS: readonly Fault[] = [
  ["killed", (server) => server.node.kill(), (server) => server.node.up()],
  ["paused", ({ node }) => node.pause(), ({ node }) => node.resume()],
  ["cut off, and refuses", (server) => eachWire(server, (wire) => wire.refuse()), repair],
  ["cut off, and is silent", (server) => eachWire(server, (wire) => wire.hush()), repair],
];

async function eachWire({ http, tcp }: Server, act: (wire: Wire) => unknown): Promise<void> {
  await Promise.all([act(http), act(tcp)]);
}

function repair(server: Server): Promise<void> {
  return eachWire(server, (wire) => wire.repair());
}

/** As if the minute had passed for which the lease of a writer lasts that could not give it back. */
export async function endLeases({ node }: Pick<Server, "node">, database: string): Promise<void> {
  const names = await node.sql(
    `SELECT name FROM system.tables WHERE database = '${database}' AND match(name, '^writer_') SETTINGS limit = 0`,
  );
  for (const name of names.split("\n").filter(Boolean))
    await node.sql(`ALTER TABLE ${name} MODIFY COMMENT 'ended 1'`, database);
}
