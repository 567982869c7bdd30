import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { freePorts } from "../../scripts/free-ports.js";

const run = promisify(execFile);
const HERE = fileURLToPath(new URL(".", import.meta.url));
const LIBRARY = join(
  HERE,
  "node_modules",
  "@chdb",
  `lib-${process.platform}-${process.arch}-gnu`,
  "libchdb.so",
);
/** Longest time that a node may take to answer, in milliseconds. */
const START_MS = 120_000;

/**
 * Settings of a server that compiles no expression of a query: it answers the same. A statement is compiled when it comes a third time, which
 * takes longer than to interpret it on small tables: a sixth of the server's processor time. For tests of other things than how
 * statements are evaluated.
 */
export const INTERPRETED = [
  "compile_expressions=0",
  "compile_aggregate_expressions=0",
  "compile_sort_description=0",
];

/**
 * The name of a cluster of the first shards of those that {@link ClickHouseNode.startCluster} started.
 * @param {number} count
 */
export const clusterOf = (count) => `lake_${count}`;

/**
 * A user of a node beside `default`, who has no password and may do everything.
 * @typedef {object} NodeUser
 * @property {string} name
 * @property {string} password
 * @property {readonly string[]} grants statements
 * @property {Readonly<Record<string, number>>} [most] the greatest value that the profile allows of a setting
 */

/** A node of ClickHouse on a free port of this machine, with its data in a folder of its own. It ends with this process. */
export class ClickHouseNode {
  /** @type {import("node:child_process").ChildProcess | undefined} */
  #child;
  /** What it wrote since it was started last. */
  #complaints = "";
  #launcher;
  #settings;
  #dir;

  /**
   * @param {string} launcher program that runs the library
   * @param {string} dir
   * @param {number} port
   * @param {number | undefined} tcpPort
   * @param {readonly string[]} settings
   */
  constructor(launcher, dir, port, tcpPort, settings) {
    this.#settings = settings;
    this.#launcher = launcher;
    this.#dir = dir;
    /** Port of HTTP. */
    this.port = port;
    /** Port of ClickHouse's own protocol, by which nodes ask each other; undefined for one that is alone. */
    this.tcpPort = tcpPort;
  }

  /**
   * Makes and starts a node.
   * @param {readonly string[]} settings of every user
   */
  static async start(settings = []) {
    const [port] = await freePorts(1);
    const ports = [{ port: /** @type {number} */ (port), tcpPort: undefined }];
    const [node] = await startAll(ports, "", settings);
    return /** @type {ClickHouseNode} */ (node);
  }

  /**
   * Makes and starts nodes that know each other as the cluster `lake`, and the first n of its shards as `lake_<n>`. A cluster
   * `keeper_<n>` is the same, whose replicas would be kept equal by Keeper.
   * @param {number} count
   * @param {object} options
   * @param {number} [options.replicas] nodes of each shard, one after another; its `Distributed` tables write every one
   * @param {(tcpPort: number, node: number) => Promise<number>} [options.between] gives the port by which others reach a node
   * @param {readonly string[]} [options.settings] of every user, such as `limit=3`
   * @param {readonly NodeUser[]} [options.users]
   */
  static async startCluster(
    count,
    { between = async (port) => port, settings = [], replicas = 1, users = [] } = {},
  ) {
    const ports = await freePorts(2 * count);
    const nodes = [];
    for (const [n, port] of ports.slice(count).entries())
      nodes.push(`<replica><host>127.0.0.1</host><port>${await between(port, n)}</port></replica>`);
    /** @param {number} shards @param {boolean} keeper */
    const shardsOf = (shards, keeper) =>
      Array.from({ length: shards }, (_, n) => nodes.slice(n * replicas, (n + 1) * replicas))
        .map(
          (each) => `<shard><internal_replication>${keeper}</internal_replication>${each.join("")}</shard>`,
        )
        .join("");
    const all = count / replicas;
    const clusters = Array.from({ length: all }, (_, n) => {
      const [name, other] = [clusterOf(n + 1), `keeper_${n + 1}`];
      return `<${name}>${shardsOf(n + 1, false)}</${name}><${other}>${shardsOf(n + 1, true)}</${other}>`;
    });
    const servers = `<remote_servers><lake>${shardsOf(all, false)}</lake>${clusters.join("")}</remote_servers>`;
    return startAll(
      nodes.map((_, n) => ({ port: /** @type {number} */ (ports[n]), tcpPort: ports[count + n] })),
      servers,
      settings,
      users,
    );
  }

  /**
   * Address of a database of the node.
   * @param {string} database
   * @param {number} port
   * @param {string} user with a password behind a colon, if there is one
   * @returns {`clickhouse://${string}`}
   */
  address(database, port = this.port, user = "default") {
    return `clickhouse://${user}@127.0.0.1:${port}/${database}`;
  }

  /** Folder that it may write backups to. */
  get backups() {
    return join(this.#dir, "backups");
  }

  /** Id of its process. */
  get pid() {
    return this.#child?.pid;
  }

  /** Starts it, unless it runs; after it was killed as well. */
  async up() {
    if (this.#runs()) return;
    const end = performance.now() + START_MS;
    // Another program may have a port for a moment.
    while (!(await this.#startOnce(end))) await sleep(500);
  }

  /**
   * Runs a statement, and gives its answer as text.
   * @param {string} text
   */
  async sql(text, database = "default") {
    const response = await fetch(`http://127.0.0.1:${this.port}/?database=${database}`, {
      method: "POST",
      body: text,
    });
    const answer = await response.text();
    if (!response.ok) throw new Error(answer);
    return answer.trim();
  }

  /** Ends the process at once, as a crash does. */
  async kill() {
    const child = this.#runs();
    this.#child = undefined;
    if (child === undefined) return;
    const exited = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await exited;
  }

  /** Its process, if it has not ended. */
  #runs() {
    const child = this.#child;
    return child === undefined || child.exitCode !== null || child.signalCode !== null ? undefined : child;
  }

  /** Stops its process where it is: connections stay, and nothing answers. */
  pause() {
    this.#child?.kill("SIGSTOP");
  }

  /** Lets a paused process go on. */
  resume() {
    this.#child?.kill("SIGCONT");
  }

  /** Stops the node and removes its folder. */
  async remove() {
    await this.kill();
    await rm(this.#dir, { recursive: true, force: true });
  }

  /**
   * Starts the process and waits until it answers; false if another program has one of its ports.
   * @param {number} end
   */
  async #startOnce(end) {
    const { port, tcpPort } = this;
    const [launcher, dir] = [this.#launcher, this.#dir];
    const listen = tcpPort === undefined ? "" : "SYSTEM START LISTEN TCP; ";
    const child = spawn(
      launcher,
      [
        LIBRARY,
        "--multiquery",
        `--path=${join(dir, "data")}`,
        `--config-file=${join(dir, "config.xml")}`,
        ...this.#settings.map((setting) => `--${setting}`),
        "--listen_host=127.0.0.1",
        `--http_port=${port}`,
        ...(tcpPort === undefined ? [] : [`--tcp_port=${tcpPort}`]),
        // A listener has no life of its own: it listens for as long as the last statement reads our end of the pipe.
        `--query=${listen}SYSTEM START LISTEN HTTP; SELECT count() FROM file('-', LineAsString, 'line String') FORMAT Null`,
      ],
      { stdio: ["pipe", "ignore", "pipe"] },
    );
    this.#child = child;
    this.#complaints = "";
    child.stdin.on("error", () => {}); // it may have ended: its exit says so
    child.stderr.on("data", (data) => {
      this.#complaints += data;
    });
    let isUp = false;
    child.once("exit", (code, signal) => {
      // One that nobody killed: what fails after it fails for that.
      if (this.#child === child && isUp)
        process.stderr.write(
          `ClickHouse on port ${port} ended by itself: ${code ?? signal} ${this.#complaints.slice(-2000)}\n`,
        );
    });
    while (!(await this.#isUp())) {
      const ended = child.exitCode !== null || child.signalCode !== null;
      if (ended && this.#complaints.includes("Address already in use") && performance.now() < end)
        return false;
      if (ended || performance.now() > end)
        throw new Error(
          `ClickHouse does not answer on port ${port}: ${child.exitCode ?? child.signalCode} ${this.#complaints.slice(-2000)}`,
        );
      await sleep(50);
    }
    isUp = true;
    return true;
  }

  /** Whether this node, and no other program, answers on its ports. */
  async #isUp() {
    // Over the connection, although the server knows that it is its own.
    const disks =
      this.tcpPort === undefined ? "system.disks" : `remote('127.0.0.1:${this.tcpPort}', system.disks)`;
    return this.sql(`SELECT path FROM ${disks} LIMIT 1 SETTINGS prefer_localhost_replica = 0`).then(
      (path) => path === `${join(this.#dir, "data")}/`,
      () => false,
    );
  }
}

/**
 * @param {readonly { readonly port: number, readonly tcpPort: number | undefined }[]} ports
 * @param {string} servers
 * @param {readonly string[]} settings
 * @param {readonly NodeUser[]} users
 */
async function startAll(ports, servers = "", settings = [], users = []) {
  if (!existsSync(LIBRARY)) throw new Error("install ClickHouse first: npm install --prefix test/cluster");
  /** @type {ClickHouseNode[]} */
  const nodes = [];
  try {
    let launcher = "";
    for (const { port, tcpPort } of ports) {
      const dir = await realpath(await mkdtemp(join(tmpdir(), "mirrorlake-clickhouse-")));
      nodes.push(new ClickHouseNode(launcher || join(dir, "launch"), dir, port, tcpPort, settings));
      if (launcher === "") launcher = await compileLauncher(join(dir, "launch"));
      // Without this file `default` is the only one.
      const named = users.length === 0 ? "" : `<users_config>${join(dir, "users.xml")}</users_config>`;
      if (users.length > 0) await writeFile(join(dir, "users.xml"), usersFile(users));
      await writeFile(
        join(dir, "config.xml"),
        `<clickhouse><logger><level>none</level></logger><backups><allowed_path>${join(dir, "backups")}</allowed_path></backups>${named}${servers}</clickhouse>`,
      );
    }
    await Promise.all(nodes.map((node) => node.up()));
    return nodes;
  } catch (error) {
    for (const node of nodes) await node.remove();
    throw error;
  }
}

/**
 * The users of a node, as ClickHouse's `users.xml` has them.
 * @param {readonly NodeUser[]} users
 */
function usersFile(users) {
  const profiles = users.map(({ name, most = {} }) => {
    const limits = Object.entries(most).map(([setting, max]) => `<${setting}><max>${max}</max></${setting}>`);
    return `<${name}><constraints>${limits.join("")}</constraints></${name}>`;
  });
  const all = users.map(({ name, password, grants }) => {
    const queries = grants.map((grant) => `<query>${grant}</query>`).join("");
    return `<${name}><password>${password}</password><networks><ip>127.0.0.1</ip></networks><profile>${name}</profile>
      <quota>default</quota><grants>${queries}</grants></${name}>`;
  });
  return `<clickhouse><profiles><default/>${profiles.join("")}</profiles><quotas><default/></quotas><users>
    <default><password/><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default>
    ${all.join("")}</users></clickhouse>`;
}

/**
 * Compiles the program that runs the library.
 * @param {string} file
 */
async function compileLauncher(file) {
  await run("cc", ["-O2", "-rdynamic", "-o", file, join(HERE, "launch.c"), "-ldl"]).catch((cause) => {
    throw new Error(
      "ClickHouse is started by a program that has to be compiled, and cc cannot: install a C compiler (apt-get install gcc libc6-dev)",
      { cause },
    );
  });
  return file;
}
