import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { serversOf } from "../../src/clickhouse/clickhouse-address.js";
import { ROOT } from "./markdown.js";
import { commandsOf, mirrorlakeArguments, parseCommandLine } from "./shell.js";

const DIR = join(ROOT, "fixtures/examples/cluster");
const textOf = (name: string) => readFileSync(join(DIR, name), "utf8");

interface Service {
  readonly image?: string;
  readonly build?: unknown;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly depends_on?: object;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly stop_grace_period?: string;
}
const { services, volumes } = parse(textOf("compose.yaml"), { merge: true }) as {
  services: Readonly<Record<string, Service>>;
  volumes: Readonly<Record<string, unknown>>;
};
const names = Object.keys(services);
const server = services["server-1"]!;
const option = (name: string) =>
  server.command!.find((each) => each.startsWith(`--${name}=`))?.slice(name.length + 3);

describe("the compose file of a cluster", () => {
  test("names images, files and volumes that there are, and services that it has", () => {
    for (const [name, { image, build, volumes: mounted = [], depends_on = [] }] of Object.entries(services)) {
      expect(image, name).toMatch(/^[a-z0-9/-]+:[a-z0-9.-]+$/);
      expect(build, name).toBeUndefined();
      for (const source of mounted.map((mount) => mount.split(":")[0]!)) {
        if (source === "./slices") continue; // what somebody brings
        if (source.startsWith("./")) expect(existsSync(join(DIR, source)), source).toBe(true);
        else expect(Object.keys(volumes)).toContain(source);
      }
      const needed = Array.isArray(depends_on) ? (depends_on as string[]) : Object.keys(depends_on);
      for (const other of needed) expect(names).toContain(other);
    }
  });

  test("runs commands that the program takes", async () => {
    const lines = [
      ...Object.values(services).map(({ command }) => command ?? []),
      ...commandsOf(textOf("README.md").replaceAll(/^docker compose run --rm \S+ /gm, "")),
    ];
    const commands = lines.flatMap((words) => mirrorlakeArguments(words) ?? []);
    expect(commands.length).toBeGreaterThan(8);
    for (const words of lines) {
      const args = mirrorlakeArguments(words);
      if (args !== undefined) await parseCommandLine(args);
    }
  });

  test("speaks with hosts that it has, by the ports that they listen on", () => {
    const { MIRRORLAKE_LAKE: lake = "", MIRRORLAKE_ACCOUNT: account = "" } = server.environment!;
    const plain = (text: string) => text.replaceAll(/\$\{\w+:\?\}/g, "password");
    const asked = serversOf(plain(lake) as "clickhouse://lake").map((each) => new URL(each).host);
    expect(asked).toEqual(["clickhouse-1:8123", "clickhouse-2:8123"]);
    expect(new URL(plain(account)).hostname).toBe("postgres");
    const told = services.tables!.command!.filter((each) => each.startsWith("--node="));
    expect(told.map((each) => each.slice(7))).toEqual(asked);
    const shards = [...textOf("clickhouse.xml").matchAll(/<host>([^<]+)<\/host><port>9000</g)];
    expect(shards.map(([, host]) => `${host}:8123`)).toEqual(asked);
    expect(services.tables!.command).toContain("--cluster=lake");
    expect(textOf("clickhouse.xml")).toMatch(/<remote_servers>\s*<lake>/);

    const servers = names.filter((name) => name.startsWith("server-"));
    const probed = `${option("operations-port")}`;
    const { scrape_configs } = parse(textOf("prometheus.yml")) as {
      scrape_configs: readonly { readonly static_configs: readonly { readonly targets: string[] }[] }[];
    };
    expect(scrape_configs[0]!.static_configs[0]!.targets).toEqual(servers.map((name) => `${name}:${probed}`));
    const balanced = [...textOf("haproxy.cfg").matchAll(/^ {2}server (\S+) (\S+)$/gm)];
    expect(balanced.map(([, name, at]) => [name, at])).toEqual(
      servers.map((name) => [name, `${name}:${option("port")}`]),
    );
    expect(textOf("haproxy.cfg")).toContain(`check port ${probed} `);
    expect(textOf("haproxy.cfg")).toContain("uri /readyz");
    expect(server.healthcheck!.test.join(" ")).toContain(`127.0.0.1:${probed}/readyz`);
    // Who is asked by a name has to be told that it is its own.
    for (const name of servers) expect(option("allow-host")!.split(",")).toContain(name);
  });

  test("lets a server end by itself", () => {
    const longest = Number(option("drain-grace")) + Number(option("drain-deadline")) + 5;
    expect(Number.parseInt(server.stop_grace_period!, 10)).toBeGreaterThan(longest);
  });
});
