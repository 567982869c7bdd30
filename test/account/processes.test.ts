import { spawn, spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { LedgerEntry } from "../../src/account/ledger-entry.js";
import { openAccount } from "../../src/account/open-account.js";
import { checkAccount } from "../../src/account/repair-account.js";
import { micros } from "../../src/contract/money.js";
import { rounds } from "../support/campaign.js";
import { count } from "../support/count.js";

const CHILD = fileURLToPath(new URL("./spend-child.js", import.meta.url));
const PRICE = 1500n;

let lake: string;
beforeEach(async () => {
  lake = await mkdtemp(join(tmpdir(), "mirrorlake-processes-"));
});
afterEach(async () => {
  await rm(lake, { recursive: true });
});

/** What ends a spending process before it is done: so many answers, or milliseconds after its start. */
interface Kill {
  readonly afterAnswers?: number;
  readonly afterMs?: number;
}

interface Run {
  /** "<id> charged", "<id> refused" or "<id> empty", as they were written. */
  readonly answers: readonly string[];
  /** Null for a process that was killed. */
  readonly code: number | null;
  readonly complaints: string;
}

interface SpendOptions {
  readonly kill?: Kill;
  readonly durability?: "strict" | "relaxed";
  readonly leaseMs?: number;
  /** What runs the process, with its arguments. */
  readonly command?: readonly string[];
}

/** Runs a spending process, to its end or until it is killed without warning. */
async function spend(
  name: string,
  ids: readonly string[],
  funds: bigint,
  options: SpendOptions = {},
): Promise<Run> {
  const idFile = join(lake, `${name}.ids`);
  await writeFile(idFile, ids.join("\n"));
  const { kill = {}, durability = "relaxed", leaseMs = 30_000, command = [] } = options;
  const [program = "", ...args] = [...command, process.execPath, CHILD];
  const child = spawn(program, [...args, lake, durability, String(funds), idFile, String(leaseMs)], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let complaints = "";
  child.stderr.on("data", (data: Buffer) => {
    complaints += data.toString();
  });
  const exited = new Promise<number | null>((resolve) => child.once("close", resolve));
  const timer =
    kill.afterMs === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), kill.afterMs);
  const answers: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    answers.push(line);
    if (answers.length === kill.afterAnswers) child.kill("SIGKILL");
  }
  clearTimeout(timer);
  return { answers, code: await exited, complaints };
}

async function ledger(): Promise<LedgerEntry[]> {
  const account = await openAccount(lake);
  const entries: LedgerEntry[] = [];
  for await (const entry of account.entries()) entries.push(entry);
  await account.close();
  return entries;
}

function charges(entries: readonly LedgerEntry[]): string[] {
  return entries.filter((entry) => entry.outcome === "charged").map((entry) => entry.request ?? "");
}

/** Answers by request id; fails when one id was answered twice. */
class Answers {
  readonly #outcomes = new Map<string, string>();

  add(run: Run): void {
    for (const answer of run.answers) {
      const [id = "", outcome = ""] = answer.split(" ");
      expect(this.#outcomes.has(id), `${id} was answered before`).toBe(false);
      this.#outcomes.set(id, outcome);
    }
  }

  has(id: string): boolean {
    return this.#outcomes.has(id);
  }

  with(outcome: string): string[] {
    return [...this.#outcomes].filter(([, own]) => own === outcome).map(([id]) => id);
  }
}

describe("kill -9 of three processes on one account", () => {
  it.each([
    ["strict", rounds(15)],
    ["relaxed", rounds(15)],
  ] as const)(
    "%s, %i times: no answered charge lost, none doubled",
    { tags: "slow" },
    async (durability, kills) => {
      const names = ["ada", "ben", "cy"];
      const killsOfEach = Math.ceil(kills / names.length);
      const idsOfEach = killsOfEach * 60 + 200;
      const total = BigInt(Math.floor(idsOfEach * names.length * 0.6));
      const funds = total * PRICE + 7n;
      const answers = new Answers();
      const random = new Random(durability === "strict" ? 1 : 2);
      let killed = 0;
      const live = async (name: string): Promise<void> => {
        const ids = Array.from(
          { length: idsOfEach },
          (_, i) => `${i % 5 === 0 ? "empty" : "call"}-${name}-${i}`,
        );
        for (let round = 0; round <= killsOfEach; round++) {
          const left = ids.filter((id) => !answers.has(id));
          // The last one lives; some die while they open the account, most among their answers.
          const kill: Kill =
            round === killsOfEach
              ? {}
              : random.below(4) === 0
                ? { afterMs: 60 + random.below(120) }
                : { afterAnswers: 1 + random.below(40) };
          const run = await spend(name, left, funds, { kill, durability, leaseMs: 500 });
          expect(run.complaints).toBe("");
          if (run.code === null) {
            killed += 1;
            count("kills");
          }
          answers.add(run);
        }
      };
      await Promise.all(names.map(live));
      expect(killed).toBeGreaterThanOrEqual(kills * 0.8);

      const entries = await ledger();
      const charged = charges(entries);
      const answered = answers.with("charged");
      count("charges", charged.length);
      count("doubled", charged.length - new Set(charged).size);
      count("lost", answered.filter((id) => !charged.includes(id)).length);
      expect(new Set(charged).size).toBe(charged.length);
      // In the end every request was answered, and what was answered is what the ledger has.
      expect(charged.toSorted()).toEqual(answered.toSorted());
      expect(answers.with("refused").length).toBeGreaterThan(0);
      expect(BigInt(charged.length)).toBe(total);
      expect(entries.reduce((sum, entry) => sum + BigInt(entry.amount), 0n)).toBe(7n);
      expect(entries.map((entry) => entry.seq)).toEqual(entries.map((_, index) => index + 1));
      expect(await checkAccount(lake)).toBeUndefined();
    },
  );
});

/** Runs a command in a process namespace of its own. */
const OWN_PIDS = ["unshare", "--pid", "--fork", "--mount-proc"];

/** Why this system lets no test make process namespaces; undefined where it does. */
function noNamespaces(): string | undefined {
  const { status, stderr, error } = spawnSync(OWN_PIDS[0] as string, [...OWN_PIDS.slice(1), "true"], {
    encoding: "utf8",
  });
  return status === 0 ? undefined : (error?.message ?? stderr.trim());
}

describe("two process namespaces on one lake, as containers of one pod have", () => {
  const obstacle = noNamespaces();
  it.skipIf(obstacle !== undefined)(
    `spend what there is, and not a micro-dollar more${obstacle === undefined ? "" : ` (not here: ${obstacle})`}`,
    async () => {
      const runs = await Promise.all(
        ["ada", "ben"].map((name) =>
          spend(
            name,
            Array.from({ length: 2000 }, (_, i) => `${name}-${i}`),
            2000n * PRICE + 1n,
            { command: OWN_PIDS },
          ),
        ),
      );
      for (const run of runs) expect(run).toMatchObject({ code: 0, complaints: "" });
      const answers = runs.flatMap((run) => run.answers);
      count("namespaces", runs.length);
      count("charges", answers.length);
      expect(answers.filter((answer) => answer.endsWith(" charged"))).toHaveLength(2000);
      expect(answers.filter((answer) => answer.endsWith(" refused"))).toHaveLength(2000);
      const entries = await ledger();
      expect(charges(entries)).toHaveLength(2000);
      expect(entries.at(-1)?.balance).toBe("1");
    },
  );
});

describe("several processes on one account", () => {
  it("spend together what there is, and not a micro-dollar more", async () => {
    const funds = 1500n * PRICE + PRICE - 1n;
    const names = ["ada", "ben", "cy"];
    const runs = await Promise.all(
      names.map((name) =>
        spend(
          name,
          Array.from({ length: 1000 }, (_, i) => `${name}-${i}`),
          funds,
        ),
      ),
    );
    const answers = runs.flatMap((run) => run.answers);
    for (const run of runs) expect(run).toMatchObject({ code: 0, complaints: "" });
    expect(answers.filter((answer) => answer.endsWith(" charged"))).toHaveLength(1500);
    expect(answers.filter((answer) => answer.endsWith(" refused"))).toHaveLength(1500);
    const entries = await ledger();
    expect(entries).toHaveLength(3001);
    expect(entries.at(-1)?.balance).toBe((PRICE - 1n).toString());
  });

  it("see each other's top-ups while they run", async () => {
    const busy = await openAccount(lake, { limits: "off", openingBalance: micros(0n) });
    const other = await openAccount(lake);
    const principal = { keyId: "key_busy", accountId: "acct_local", scopes: ["*"] };
    const endpoint = { id: "raw.short-video.comments", price: micros(PRICE), freeEligible: false };
    let toppedUp: Promise<unknown> | undefined;
    for (let paid = false; !paid; ) {
      const hold = await busy.hold(principal, endpoint);
      if (hold === undefined) toppedUp ??= other.topUp(micros(PRICE));
      else paid = (await hold.charge("paid")).billed;
      await new Promise(setImmediate);
    }
    await toppedUp;
    expect(await busy.state()).toMatchObject({ balance: 0n, toppedUp: true });
    await busy.close();
    await other.close();
  });
});

/** Linear congruential numbers (Knuth's MMIX constants): the same sequence of kills in every run. */
class Random {
  #state: bigint;

  constructor(seed: number) {
    this.#state = BigInt(seed);
  }

  /** A whole number from 0 to below `limit`. */
  below(limit: number): number {
    this.#state = (this.#state * 6364136223846793005n + 1442695040888963407n) & 0xffff_ffff_ffff_ffffn;
    return Number((this.#state >> 33n) % BigInt(limit));
  }
}
