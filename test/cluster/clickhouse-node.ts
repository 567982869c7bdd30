import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const HERE = fileURLToPath(new URL(".", import.meta.url));
const LIBRARY = join(
  HERE,
  "node_modules",
  "@chdb",
  `lib-${process.platform}-${process.arch}-gnu`,
  "libchdb.so",
);
/** Longest time that a node may take to answer, and seconds that it lives where nobody stops it. */
const [START_MS, LIFE_S] = [120_000, 3600];

/** A node of ClickHouse on a free port of this machine, with its data in a folder of its own. */
export class ClickHouseNode {
  private readonly complaints: string[] = [];

  private constructor(
    private readonly dir: string,
    readonly port: number,
    /** Port of ClickHouse's own protocol, by which nodes ask each other; undefined for one that is alone. */
    private readonly tcpPort: number | undefined,
    private child: ChildProcess | undefined,
  ) {}

  /** Makes and starts a node. */
  static async start(): Promise<ClickHouseNode> {
    return ClickHouseNode.make(await freePort(), undefined, "");
  }

  /** Makes and starts nodes that know each other as the cluster `lake`, a shard each. */
  static async startShards(count: number): Promise<ClickHouseNode[]> {
    const ports: number[] = [];
    // One after another: a port that is free is not given twice then.
    for (let i = 0; i < 2 * count; i++) ports.push(await freePort(ports));
    const tcp = ports.slice(count);
    const shards = tcp.map(
      (port) => `<shard><replica><host>127.0.0.1</host><port>${port}</port></replica></shard>`,
    );
    const servers = `<remote_servers><lake>${shards.join("")}</lake></remote_servers>`;
    return Promise.all(tcp.map((port, i) => ClickHouseNode.make(ports[i]!, port, servers)));
  }

  private static async make(
    port: number,
    tcpPort: number | undefined,
    servers: string,
  ): Promise<ClickHouseNode> {
    if (!existsSync(LIBRARY)) throw new Error("install ClickHouse first: npm install --prefix test/cluster");
    const dir = await mkdtemp(join(tmpdir(), "mirrorlake-clickhouse-"));
    await run("cc", ["-O2", "-o", join(dir, "launch"), join(HERE, "launch.c"), "-ldl"]);
    const config = `<clickhouse><logger><level>none</level></logger>${servers}</clickhouse>`;
    await writeFile(join(dir, "config.xml"), config);
    const node = new ClickHouseNode(dir, port, tcpPort, undefined);
    await node.up();
    return node;
  }

  /** Address of a database of the node. */
  address(database: string): `clickhouse://${string}` {
    return `clickhouse://default@127.0.0.1:${this.port}/${database}`;
  }

  /** Starts a node that was killed. */
  async up(): Promise<void> {
    // It listens for as long as this runs: a listener has no life of its own.
    const life = `SELECT sum(sleepEachRow(1)) FROM numbers(${LIFE_S}) SETTINGS max_block_size = 1,
      function_sleep_max_microseconds_per_block = 100000000000, max_threads = 1 FORMAT Null`;
    const options = [
      "--multiquery",
      `--path=${join(this.dir, "data")}`,
      `--config-file=${join(this.dir, "config.xml")}`,
    ];
    const listen = [
      "--listen_host=127.0.0.1",
      `--http_port=${this.port}`,
      ...(this.tcpPort === undefined
        ? [`--query=SYSTEM START LISTEN HTTP; ${life}`]
        : [
            `--tcp_port=${this.tcpPort}`,
            `--query=SYSTEM START LISTEN TCP; SYSTEM START LISTEN HTTP; ${life}`,
          ]),
    ];
    const child = spawn(join(this.dir, "launch"), [LIBRARY, ...options, ...listen], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    child.stderr!.on("data", (data: Buffer) => this.complaints.push(data.toString()));
    this.child = child;
    child.once("exit", (code, signal) => {
      // One that nobody killed: what fails after it fails for that.
      if (this.child !== child) return;
      const why = this.complaints.join("").slice(-2000);
      process.stderr.write(`ClickHouse on port ${this.port} ended by itself: ${code ?? signal} ${why}\n`);
    });
    const end = performance.now() + START_MS;
    while (!(await this.answers())) {
      if (child.exitCode !== null || performance.now() > end)
        throw new Error(`ClickHouse does not answer: ${this.complaints.join("").slice(-2000)}`);
      await sleep(100);
    }
  }

  /** Runs a statement, and gives its answer as text. */
  async sql(text: string, database = "default"): Promise<string> {
    const response = await fetch(`http://127.0.0.1:${this.port}/?database=${database}`, {
      method: "POST",
      body: text,
    });
    const answer = await response.text();
    if (!response.ok) throw new Error(answer);
    return answer.trim();
  }

  /** Ends the process at once, as a crash does. */
  async kill(): Promise<void> {
    const { child } = this;
    this.child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await exited;
  }

  /** Stops the node and removes its folder. */
  async remove(): Promise<void> {
    await this.kill();
    await rm(this.dir, { recursive: true, force: true });
  }

  private async answers(): Promise<boolean> {
    return this.sql("SELECT 1").then(
      (answer) => answer === "1",
      () => false,
    );
  }
}

async function freePort(taken: readonly number[] = []): Promise<number> {
  const port = await anyPort();
  return taken.includes(port) ? freePort(taken) : port;
}

function anyPort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
