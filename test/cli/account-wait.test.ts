import { afterAll, beforeAll, expect, test } from "vitest";
import { EXIT } from "../../src/cli/defaults.js";
import { runCli } from "../../src/cli/program.js";
import { PostgresServer } from "../support/postgres-server.js";
import { type TemporaryLake, temporarySampleLake } from "../support/sample-lake.js";

let built: TemporaryLake;
let postgres: PostgresServer;
beforeAll(async () => {
  [built, postgres] = await Promise.all([temporarySampleLake(), PostgresServer.start()]);
});
afterAll(async () => {
  await postgres?.remove();
  await built?.remove();
});

/** Runs `serve`; `heard` gets what it writes, and a way to stop it. */
function serve(args: readonly string[], heard: (text: string, stop: () => void) => void): Promise<number> {
  const stop = new AbortController();
  const write = (text: string) => heard(text, () => stop.abort());
  const stream = { write, data: write, isTty: false, columns: 100, color: false };
  const all = ["serve", "--lake", built.path, "--account", postgres.address, "--port", "0", "--no-console"];
  return runCli([...all, ...args], {
    out: stream,
    err: stream,
    env: {},
    cwd: process.cwd(),
    signal: stop.signal,
  });
}

test("serve waits for an account whose database starts after it, and says so", async () => {
  await postgres.crash();
  let [up, waited] = [undefined as Promise<void> | undefined, 0];
  const lines: string[] = [];
  const code = await serve(["--read-only", "--log", "json"], (text, stop) => {
    lines.push(text);
    if (text.includes('"waiting"')) waited += 1;
    if (waited === 2) up ??= postgres.up();
    if (text.includes('"listening"')) stop();
  });
  await up;
  expect(code).toBe(EXIT.ok);
  const said = lines.join("");
  expect(said).toMatch(
    /"level":"warn","event":"waiting","error":"account_unreachable","message":"The account /,
  );
  expect(said).not.toContain("mirror:lake");
});

test("serve ends with what is wrong where the account does not come, and at once where it may not be used", async () => {
  const text = async (...args: string[]) => {
    const lines: string[] = [];
    const code = await serve(args, (line) => lines.push(line));
    return { code, said: lines.join("") };
  };
  await postgres.crash();
  const never = await text("--account-wait", "1");
  await postgres.up();
  expect(never.code).toBe(EXIT.error);
  expect(never.said).toMatch(/^Waiting: The account .*cannot be reached/);
  expect(never.said).toMatch(/account_unreachable.*; waited for 1 second/);
  const refused = await text("--account", postgres.address.replace("mirror:lake", "mirror:wrong"));
  expect(refused.said).toContain("account_not_writable");
  expect(refused.said).not.toContain("Waiting");
});

test("serve that waits stops when it is told to", async () => {
  await postgres.crash();
  const code = await serve([], (text, stop) => {
    if (text.startsWith("Waiting")) stop();
  });
  await postgres.up();
  expect(code).toBe(EXIT.interrupted);
});
