import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { ClickHouseNode, INTERPRETED } from "./clickhouse-node.js";

/** A node and a folder that the tests of one file share. */
export interface NodeInUse {
  readonly node: ClickHouseNode;
  readonly dir: string;
  /** Makes a database; returns its address. */
  newDatabase(): Promise<`clickhouse://${string}`>;
}

/** Starts a node before the tests of this file and removes it after them. @param name of its databases, with a number after it @param settings of every user */
export function useNode(name: string, settings: readonly string[] = INTERPRETED): NodeInUse {
  let node: ClickHouseNode | undefined;
  let dir = "";
  let databases = 0;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), "mirrorlake-cluster-"));
    node = await ClickHouseNode.start(settings);
  });
  afterAll(async () => {
    await node?.remove();
    await rm(dir, { recursive: true, force: true });
  });
  return {
    get node() {
      return node!;
    },
    get dir() {
      return dir;
    },
    async newDatabase() {
      const database = `${name}_${databases++}`;
      await node!.sql(`CREATE DATABASE ${database}`);
      return node!.address(database);
    },
  };
}
