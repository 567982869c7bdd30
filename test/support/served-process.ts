import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const CLI = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

/** A server in a process of its own: `mirrorlake serve --json --log json`, with metrics and probes. */
export interface ServedProcess {
  readonly url: string;
  readonly apiKey: string;
  readonly operations: string;
  readonly child: ChildProcess;
  /** What it wrote to its log so far. */
  readonly log: readonly Readonly<Record<string, unknown>>[];
  /** What else it wrote to standard error, by lines. */
  readonly others: readonly string[];
  /** Exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>;
  /** Value of a metric without labels. */
  metric(name: string): Promise<number>;
}

/** Starts a server and waits until it listens. The caller ends it. */
export async function serveProcess(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<ServedProcess> {
  const child = spawn(
    process.execPath,
    [CLI, "serve", "--json", "--log", "json", "--port", "0", "--operations-port", "0", ...args],
    { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...env } },
  );
  const ended = once(child, "exit").then(([code, signal]) => (code ?? signal) as number | string);
  const log: Record<string, unknown>[] = [];
  const others: string[] = [];
  let rest = "";
  child.stderr.on("data", (data: Buffer) => {
    const lines = `${rest}${data}`.split("\n");
    rest = lines.pop()!;
    for (const line of lines)
      if (line.startsWith("{")) log.push(JSON.parse(line));
      else others.push(line);
  });
  const first = await Promise.race([
    once(createInterface(child.stdout), "line").then(([line]) => String(line)),
    ended.then((code) => {
      throw new Error(`serve ended with ${code}: ${others.join("\n")} ${JSON.stringify(log)}`);
    }),
  ]);
  const { url, apiKey, operations } = JSON.parse(first) as Record<"url" | "apiKey" | "operations", string>;
  const metric = async (name: string) => {
    const text = await (await fetch(`${operations}/metrics`)).text();
    return Number(new RegExp(`^${name} (.*)$`, "m").exec(text)?.[1]);
  };
  return { url, apiKey, operations, child, log, others, ended, metric };
}
