import { writeSync } from "node:fs";
import { appendFile, cp, mkdtemp, open, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Account } from "../../src/account/account.js";
import { ENTRIES_PER_SEGMENT } from "../../src/account/defaults.js";
import { encodeFrame, isFrame, scanFrames } from "../../src/account/frame.js";
import type { LedgerEntry } from "../../src/account/ledger-entry.js";
import { type OpenAccountOptions, openAccount } from "../../src/account/open-account.js";
import { repairLedger } from "../../src/account/repair-ledger.js";
import { parseUsd } from "../../src/contract/money.js";
import { VirtualClock } from "../../src/testing/virtual-clock.js";

vi.mock("node:fs", async (original) => {
  const fs = await original<typeof import("node:fs")>();
  return { ...fs, writeSync: vi.fn(fs.writeSync) };
});

const COMMENTS = { id: "raw.short-video.comments", price: parseUsd("0.0015"), freeEligible: false };
const PRINCIPAL = { keyId: "key_test", accountId: "acct_local", scopes: ["*"] };
const SEGMENT = join("account", "ledger-000001.log");

let lake: string;
let notices: string[];
beforeEach(async () => {
  lake = await mkdtemp(join(tmpdir(), "mirrorlake-ledger-"));
  notices = [];
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(lake, { recursive: true });
});

function opened(options: OpenAccountOptions = {}): Promise<Account> {
  return openAccount(lake, {
    durability: "strict",
    limits: "off",
    onNotice: (message) => notices.push(message),
    ...options,
  });
}

async function charge(account: Account, ...requests: readonly string[]): Promise<void> {
  const visit = await account.enter();
  try {
    const one = async (request: string) => (await account.hold(PRINCIPAL, COMMENTS))?.charge(request);
    await Promise.all(requests.map(one));
  } finally {
    visit.leave();
  }
}

/** A ledger of charges, one write each. */
async function writeLedger(count: number): Promise<void> {
  const account = await opened({ clock: new VirtualClock("2026-05-01T00:00:00Z") });
  for (let i = 0; i < count; i++) await charge(account, `request-${i}`);
  await account.close();
}

async function allEntries(account: Account): Promise<LedgerEntry[]> {
  const entries: LedgerEntry[] = [];
  for await (const entry of account.entries()) entries.push(entry);
  return entries;
}

/** Opens as a writer, spends once more, and checks that the ledger is whole. */
async function reopened(): Promise<LedgerEntry[]> {
  const account = await opened();
  (await account.enter()).leave();
  const before = await allEntries(account);
  await charge(account, "one more");
  const after = await allEntries(account);
  expect(after).toHaveLength(before.length + 1);
  let sum = 0n;
  for (const [index, entry] of after.entries()) {
    sum += BigInt(entry.amount);
    expect(entry).toMatchObject({ seq: index + 1, balance: sum.toString() });
  }
  expect(account.state().balance).toBe(sum);
  await account.close();
  return before;
}

describe("frames", () => {
  it("give back any text, and know every damaged byte", () => {
    const texts = fc.array(fc.string({ unit: "binary", maxLength: 60 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(texts, fc.nat(), fc.integer({ min: 1, max: 255 }), (values, at, flip) => {
        const bytes = Buffer.from(
          values.map((value, i) => encodeFrame(i, JSON.stringify({ value }))).join(""),
        );
        const frames = [...scanFrames(bytes)];
        expect(frames.map((frame) => isFrame(frame) && JSON.parse(frame.json).value)).toEqual(values);
        const damaged = Buffer.from(bytes);
        const place = at % bytes.length;
        damaged[place] = (damaged[place] as number) ^ flip;
        const [gap] = [...scanFrames(damaged)].filter((part) => !isFrame(part));
        expect(gap && gap.offset <= place && place < gap.end).toBe(true);
      }),
    );
  });
});

describe("a torn tail", () => {
  it("is cut off, wherever it was torn, and all whole entries stay", async () => {
    await writeLedger(4);
    const path = join(lake, SEGMENT);
    const bytes = await readFile(path);
    const parts = [...scanFrames(bytes)];
    const headerEnd = parts[0]?.end ?? 0;
    for (let length = headerEnd; length <= bytes.length; length += 7) {
      await writeFile(path, bytes.subarray(0, length));
      notices = [];
      const whole =
        parts.filter((part) => isFrame(part) && part.json !== "" && part.end <= length).length - 1;
      const entries = await reopened();
      // Without a single whole entry the account is new, and opens anew.
      expect(entries).toHaveLength(Math.max(1, whole));
      expect(notices).toHaveLength(parts.some((part) => part.end === length) ? 0 : 1);
    }
  });

  it("of a write of many entries is cut off where its first damaged byte lies, even with sound entries behind", async () => {
    const account = await opened();
    await charge(account, "alone");
    await charge(account, ...Array.from({ length: 50 }, (_, i) => `together-${i}`));
    await account.close();
    const path = join(lake, SEGMENT);
    const bytes = await readFile(path);
    const frames = [...scanFrames(bytes)];
    const target = frames[20];
    bytes.fill(0, target?.offset, (target?.end ?? 0) + 40);
    // A crash leaves no mark that all is on disk.
    await writeFile(path, bytes.subarray(0, frames.at(-1)?.offset));
    expect(await reopened()).toHaveLength(19);
    expect(notices).toEqual([expect.stringContaining("that a crash left unfinished")]);
  });

  it("is none of a reader's business: it reads what is whole and changes nothing", async () => {
    await writeLedger(3);
    const path = join(lake, SEGMENT);
    await appendFile(path, "0123abcd 3 {");
    const before = await readFile(path);
    const account = await opened();
    expect(account.state().balance).toBe(parseUsd("99.9955"));
    expect(await allEntries(account)).toHaveLength(4);
    await account.close();
    expect(await readFile(path)).toEqual(before);
  });
});

describe("a flipped bit", () => {
  it("is put right, wherever it is", async () => {
    await writeLedger(3);
    const path = join(lake, SEGMENT);
    const original = await readFile(path);
    const whole = await allEntries(await opened());
    for (let i = 0; i < original.length; i += 5) {
      const bytes = Buffer.from(original);
      bytes[i] = (bytes[i] as number) ^ (1 << (i % 8));
      await writeFile(path, bytes);
      notices = [];
      const account = await opened();
      const visit = await account.enter();
      expect(await readFile(path)).toEqual(original);
      expect(notices).toEqual([expect.stringContaining(`flipped bit in byte ${i}`)]);
      expect(await allEntries(account)).toEqual(whole);
      visit.leave();
      await account.close();
    }
  });
});

describe("damage in the middle", () => {
  async function damage(): Promise<void> {
    await writeLedger(9);
    const path = join(lake, SEGMENT);
    const bytes = await readFile(path);
    const frames = [...scanFrames(bytes)];
    for (const index of [4, 5])
      bytes.fill(0x78, (frames[index]?.offset ?? 0) + 20, (frames[index]?.offset ?? 0) + 24);
    await writeFile(path, bytes);
  }

  it("is no torn tail, though it is the last entry, once that was on disk", async () => {
    const account = await opened({ durability: "relaxed" });
    await charge(account, "first");
    await charge(account, "last");
    await account.close();
    const path = join(lake, SEGMENT);
    await writeFile(path, (await readFile(path, "utf8")).replace('"last"', '"tsal"'));
    await expect(opened()).rejects.toMatchObject({ code: "ledger_corrupt" });
  });

  it("is refused by name, with the file as it was", async () => {
    await damage();
    const before = await readFile(join(lake, SEGMENT));
    await expect(opened()).rejects.toMatchObject({
      name: "LakeError",
      code: "ledger_corrupt",
      value: { path: join(lake, SEGMENT), offset: expect.any(Number) },
      remedy: expect.stringContaining("mirrorlake account repair"),
    });
    expect(await readFile(join(lake, SEGMENT))).toEqual(before);
  });

  it("is bridged by a repair, to the same balance, with the damaged file kept", async () => {
    await damage();
    const before = await readFile(join(lake, SEGMENT));
    expect(await repairLedger(lake)).toEqual({
      rewritten: [join(lake, SEGMENT)],
      lostEntries: 2,
      adjusted: -3000n,
    });
    const entries = await reopened();
    expect(entries).toHaveLength(10);
    expect(entries.at(-1)?.balance).toBe(parseUsd("99.9865").toString());
    expect(entries.filter((entry) => entry.kind === "adjustment")).toMatchObject([
      { amount: "-3000" },
      { amount: "0" },
    ]);
    const [kept] = await readdir(join(lake, "account", "damaged"));
    expect(await readFile(join(lake, "account", "damaged", String(kept)))).toEqual(before);
    expect((await repairLedger(lake)).rewritten).toEqual([]);
  });
});

describe("a ledger that is not ours to read", () => {
  it("of a newer format is refused", async () => {
    await writeLedger(1);
    const path = join(lake, SEGMENT);
    await writeFile(path, encodeFrame(0, JSON.stringify({ format: "mirrorlake-ledger", version: 2 })));
    await expect(opened()).rejects.toMatchObject({ code: "ledger_newer_format", value: 2 });
  });

  it("of another making is refused", async () => {
    await writeLedger(1);
    await writeFile(join(lake, SEGMENT), "something else entirely\n");
    await expect(opened()).rejects.toMatchObject({ code: "ledger_corrupt" });
    await truncate(join(lake, SEGMENT), 0);
    await expect(opened()).rejects.toMatchObject({ code: "ledger_corrupt" });
  });

  it("with a key file that is no key file is refused", async () => {
    await writeLedger(1);
    for (const text of ["{", '{"keys":[]}', '{"format":"mirrorlake-keys","version":2,"keys":[]}']) {
      await writeFile(join(lake, "account", "keys.json"), text);
      await expect(opened()).rejects.toMatchObject({ code: "keys_corrupt" });
    }
  });
});

describe("segments", () => {
  it("follow one another, and the newest two are all that opening reads", async () => {
    const clock = new VirtualClock("2026-05-01T00:00:00Z");
    const account = await opened({ clock });
    const count = ENTRIES_PER_SEGMENT * 2 + 500;
    for (let i = 0; i < count; i += 500) {
      clock.advance(60_000);
      await charge(account, ...Array.from({ length: 500 }, (_, j) => `r${i + j}`));
    }
    const state = account.state();
    await account.close();
    const names = (await readdir(join(lake, "account"))).filter((name) => name.startsWith("ledger-"));
    expect(names).toHaveLength(3);
    await writeFile(join(lake, SEGMENT), "gone");

    const again = await opened({ clock });
    expect(again.state()).toEqual(state);
    await charge(again, "r20499", `r${ENTRIES_PER_SEGMENT}`);
    expect(again.state()).toEqual(state);
    expect(await again.usage({ by: [], fromMs: clock.now() })).toMatchObject([{ calls: 500, charged: 500 }]);
    await expect(again.usage()).rejects.toMatchObject({ code: "ledger_corrupt" });
    await again.close();
  });
});

describe("a disk that fails", () => {
  type Handle = Awaited<ReturnType<typeof open>>;
  const prototypeOf = async (): Promise<Handle> => {
    const file = await open(join(lake, "probe"), "w");
    await file.close();
    return Object.getPrototypeOf(file) as Handle;
  };

  const noSpace = () => Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
  /** Makes one step of keeping an entry fail; returns what mends it. */
  const failing = {
    write: async () => {
      const original = vi.mocked(writeSync).getMockImplementation()!;
      vi.mocked(writeSync).mockImplementation(((file: number, bytes: Buffer, ...where: number[]) => {
        // Half of the line reaches the file.
        Reflect.apply(original, undefined, [file, bytes, 0, 50, where[2]]);
        throw noSpace();
      }) as never);
      return () => vi.mocked(writeSync).mockImplementation(original);
    },
    datasync: async () => {
      const spy = vi.spyOn(await prototypeOf(), "datasync").mockRejectedValue(noSpace());
      return () => spy.mockRestore();
    },
  };

  it.each(["write", "datasync"] as const)(
    "in %s charges nothing, and the next call is as before",
    async (method) => {
      const account = await opened();
      await charge(account, "before");
      const mend = await failing[method]();
      await expect(charge(account, "lost", "lost too")).rejects.toMatchObject({
        code: "ledger_write_failed",
      });
      mend();
      const visit = await account.enter();
      expect(account.state().balance).toBe(parseUsd("99.9985"));
      visit.leave();
      await charge(account, "lost", "after");
      expect(account.state().balance).toBe(parseUsd("99.9955"));
      expect((await allEntries(account)).map((entry) => entry.request)).toEqual([
        undefined,
        "before",
        "lost",
        "after",
      ]);
      await account.close();
      expect(await reopened()).toHaveLength(4);
      expect(notices).toEqual([]);
    },
  );

  it("in strict mode answers only what a power cut would leave", async () => {
    const account = await opened();
    await charge(account, "first");
    const handle = await prototypeOf();
    const original = handle.datasync;
    let onDisk = "";
    vi.spyOn(handle, "datasync").mockImplementation(async function (this: Handle) {
      const written = await readFile(join(lake, SEGMENT), "utf8");
      await Reflect.apply(original, this, []);
      onDisk = written;
    });
    const visit = await account.enter();
    let answered = 0;
    const calls = Array.from({ length: 500 }, async (_, i) => {
      for (let turn = 0; turn < i % 7; turn++) await new Promise(setImmediate);
      const hold = await account.hold(PRINCIPAL, COMMENTS);
      await hold?.charge(`r${i}.`);
      expect(onDisk).toContain(`"r${i}."`);
      answered += 1;
    });
    await Promise.all(calls);
    expect(answered).toBe(500);
    visit.leave();
    await account.close();
  });
});

describe("a copy of the folder", () => {
  it("is an account of its own", async () => {
    await writeLedger(2);
    const other = await mkdtemp(join(tmpdir(), "mirrorlake-copy-"));
    await cp(lake, other, { recursive: true });
    const copy = await openAccount(other);
    await charge(copy, "in the copy");
    expect(copy.state().balance).toBe(parseUsd("99.9955"));
    expect((await opened()).state().balance).toBe(parseUsd("99.997"));
    await copy.close();
    await rm(other, { recursive: true });
  });
});
