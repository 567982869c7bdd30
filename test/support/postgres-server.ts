import { execFile } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { chmod, chown, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePorts } from "../../scripts/free-ports.js";

const run = promisify(execFile);
/** Where Debian has the programs of each version. */
const VERSIONS = "/usr/lib/postgresql";

/** A PostgreSQL server on a free port of this machine, in a folder of its own. */
export class PostgresServer {
  private constructor(
    private readonly bin: string,
    private readonly dir: string,
    private readonly owner: { uid?: number; gid?: number },
    readonly port: number,
  ) {}

  /** Makes and starts a server. */
  static async start(): Promise<PostgresServer> {
    if (!existsSync(VERSIONS)) throw new Error("install PostgreSQL first: apt-get install postgresql");
    const newest = readdirSync(VERSIONS).toSorted((a, b) => Number(b) - Number(a))[0]!;
    const dir = await mkdtemp(join(tmpdir(), "mirrorlake-postgres-"));
    const owner = await serverUser();
    // The server's user has to get into folders that are above its own.
    await chmod(dir, 0o755);
    if (owner.uid !== undefined) await chown(dir, owner.uid, owner.gid!);
    const [port] = await freePorts(1);
    const server = new PostgresServer(join(VERSIONS, newest, "bin"), dir, owner, port!);
    await writeFile(join(dir, "password"), "lake\n");
    const password = ["--auth=scram-sha-256", `--pwfile=${join(dir, "password")}`, "--username=mirror"];
    await server.do("initdb", ["--no-sync", "--encoding=UTF8", ...password, join(dir, "data")]);
    await server.up();
    return server;
  }

  /** Address of the server's database. */
  get address(): `postgres://${string}` {
    return `postgres://mirror:lake@127.0.0.1:${this.port}/postgres`;
  }

  /** Starts a server that was stopped. */
  async up(): Promise<void> {
    // What is lost in a power cut is not tested: no sync, but every commit is in the log before it is answered.
    const options = `-p ${this.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c fsync=off`;
    await this.do("pg_ctl", [
      "start",
      "-w",
      "-D",
      join(this.dir, "data"),
      "-l",
      join(this.dir, "log"),
      "-o",
      options,
    ]);
  }

  /** Stops the server at once, as a crash does; transactions that are under way are lost. */
  async crash(): Promise<void> {
    await this.do("pg_ctl", ["stop", "-w", "-m", "immediate", "-D", join(this.dir, "data")]);
  }

  /** Runs a statement, and gives its lines. @param address of another of its databases */
  async sql(text: string, address: string = this.address): Promise<string[]> {
    const args = ["-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-c", text, address];
    return (await run(join(this.bin, "psql"), args)).stdout.split("\n").filter(Boolean);
  }

  /** Stops the server and removes its folder. */
  async remove(): Promise<void> {
    await this.crash();
    await rm(this.dir, { recursive: true });
  }

  private async do(program: string, args: readonly string[]): Promise<void> {
    await run(join(this.bin, program), args, { ...this.owner, cwd: this.dir }).catch(
      async (error: unknown) => {
        const log = await readFile(join(this.dir, "log"), "utf8").catch(() => "");
        throw new Error(`${program} failed: ${error}\n${log}`);
      },
    );
  }
}

/** The server refuses to run as root: then the system's user of that name does. */
async function serverUser(): Promise<{ uid?: number; gid?: number }> {
  if (userInfo().uid !== 0) return {};
  const line = (await readFile("/etc/passwd", "utf8"))
    .split("\n")
    .find((each) => each.startsWith("postgres:"));
  const [uid, gid] = (line ?? "::65534:65534").split(":").slice(2, 4).map(Number);
  return { uid: uid!, gid: gid! };
}
