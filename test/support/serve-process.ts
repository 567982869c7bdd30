import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** Times that a server is started again. */
const STARTS = 20;
const CLI = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

/** `mirrorlake serve` in a process of its own, of the built package. */
export class ServeProcess {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
    /** A key with every scope that ends with the process. */
    readonly apiKey: string,
    private readonly said: () => string,
  ) {}

  /** Starts a server on a free port. @param args of `mirrorlake serve`; @throws Error with what it said if it ends */
  static start(args: readonly string[]): Promise<ServeProcess> {
    const all = [CLI, "serve", "--port", "0", "--no-limits", "--no-console", ...args];
    const child = spawn(process.execPath, all, { stdio: ["ignore", "pipe", "pipe"] });
    return new Promise((resolve, reject) => {
      let text = "";
      for (const stream of [child.stdout, child.stderr])
        stream.on("data", (data: Buffer) => {
          text += data;
          const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(text) ?? [];
          const [, apiKey] = /^API key (ml_\w+)/m.exec(text) ?? [];
          if (url !== undefined && apiKey !== undefined)
            resolve(new ServeProcess(child, url, apiKey, () => text));
        });
      child.once("error", reject);
      child.once("exit", (code) => reject(new Error(`serve ended with ${code}: ${text}`)));
    });
  }

  /** Whether it ended. */
  get ended(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** What it wrote. */
  get output(): string {
    return this.said();
  }

  /** Kills it with SIGKILL; resolves when it is gone. */
  async kill(): Promise<void> {
    if (this.ended) return;
    const gone = once(this.child, "exit");
    this.child.kill("SIGKILL");
    await gone;
  }
}

/** Servers of one lake and one account, in a process each. */
export class ServeProcesses {
  private readonly servers: (ServeProcess | undefined)[] = [];
  kills = 0;
  failedStarts = 0;
  private removed = false;

  private constructor(private readonly args: readonly string[]) {}

  /** Starts so many servers at once. */
  static async start(count: number, args: readonly string[]): Promise<ServeProcesses> {
    const processes = new ServeProcesses(args);
    const started = await Promise.allSettled(Array.from({ length: count }, () => ServeProcess.start(args)));
    processes.servers.push(...started.map((each) => (each.status === "fulfilled" ? each.value : undefined)));
    const failed = started.find((each) => each.status === "rejected");
    if (failed === undefined) return processes;
    await processes.remove();
    throw failed.reason;
  }

  get count(): number {
    return this.servers.length;
  }

  /** Those that run. */
  get running(): readonly ServeProcess[] {
    return this.servers.filter((server) => server?.ended === false) as ServeProcess[];
  }

  /** Address of one that runs, from the n-th on; undefined while none does. */
  url(n: number): string | undefined {
    const { count, servers } = this;
    for (let step = 0; step < count; step += 1) {
      const server = servers[(n + step) % count];
      if (server?.ended === false) return server.url;
    }
    return undefined;
  }

  /** Kills the n-th, and starts another in its place. */
  async replace(n: number): Promise<void> {
    const place = n % this.count;
    await this.servers[place]?.kill();
    this.kills += 1;
    // As a supervisor of servers does: one that cannot get at the account while it starts ends, and is started again.
    for (let tries = 0; this.servers[place]?.ended !== false; tries += 1)
      this.servers[place] = await ServeProcess.start(this.args).catch((error: unknown) => {
        if (tries === STARTS || this.removed) throw error;
        this.failedStarts += 1;
        return undefined;
      });
  }

  /** What each of them wrote. */
  outputs(): readonly string[] {
    return this.servers.flatMap((server) => server?.output ?? []);
  }

  /** Kills all. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.remove();
  }

  /** Kills all. */
  async remove(): Promise<void> {
    this.removed = true;
    await Promise.all(this.servers.map((server) => server?.kill()));
  }
}
