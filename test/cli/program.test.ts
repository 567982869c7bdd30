import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { describe, expect, test } from "vitest";
import { type CliContext, Interruption } from "../../src/cli/context.js";
import { safeOutput } from "../../src/cli/format/safe-output.js";
import { createProgram } from "../../src/cli/program.js";
import { reportError } from "../../src/cli/report-error.js";
import { ApiError, LakeError, UsageError } from "../../src/contract/errors.js";
import { capture } from "./capture.js";

/** Address of a lake on ClickHouse, with a password. */
const CLUSTER = "clickhouse://me:secret@db.example:8123/lake";

function fakeContext(): CliContext & { text: { out: string; err: string } } {
  const text = { out: "", err: "" };
  const stream = (key: "out" | "err") =>
    safeOutput({
      write: (part: string) => {
        text[key] += part;
      },
      isTty: false,
      columns: 100,
      color: false,
    });
  return {
    text,
    out: stream("out"),
    err: stream("err"),
    env: {},
    cwd: "/",
    signal: new AbortController().signal,
    fail: () => {},
  };
}

function commandsOf(command: Command, path: string[] = []): { path: string[]; command: Command }[] {
  return command.commands.flatMap((child) => [
    { path: [...path, child.name()], command: child },
    ...commandsOf(child, [...path, child.name()]),
  ]);
}

describe("usage", () => {
  test("no command prints the help and ends well", async () => {
    const { code, out } = await capture([]);
    expect(code).toBe(0);
    expect(out).toContain("Usage: mirrorlake");
  });

  test.each(["install", "pull", "sync"])(
    "%s --help says that a rebuild or a new fit is announced",
    async (command) => {
      expect((await capture([command, "--help"])).out).toMatch(
        /Before\s+either\s+starts,\s+standard\s+error\s+says\s+why/,
      );
    },
  );

  test.each([
    ["raw", "long-video", "video", "--item-id", "-Vh4xkWJ0Zc"],
    ["remove", "--id", "-Vh4xkWJ0Zc", "--reason", "takedown"],
    ["ingest", "in", "--author-salt", "-Vh4xkWJ0Zc", "--adapter", "gdelt", "--out", "out"],
  ])("%s takes an option's value that begins as another option does", async (...args) => {
    const { code, out } = await capture([...args, "--lake", "nowhere"], { cwd: "/nonexistent" });
    expect(code).not.toBe(0);
    expect(out).toBe("");
  });

  test("--version prints the package's version", async () => {
    const { code, out } = await capture(["--version"]);
    expect(code).toBe(0);
    expect(out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  test.each([
    [["nonsense"], "unknown command"],
    [["search"], "missing required argument"],
    [["search", "x", "--nonsense"], "unknown option"],
    [["search", "hiking", "boots"], "got 2.\n(put the query in quotation marks)\n"],
    [["sql", "SELECT", "1"], "got 2.\n(put the query in quotation marks)\n"],
    [["search", "x", "--limit", "ten"], "Expected a whole number.\n"],
    [["search", "x", "--limit", "9007199254740993"], "Expected a whole number.\n"],
    [["sql", "x", "--limit", "-1"], "Expected a whole number of at least 0.\n"],
    [["serve", "--port", "70000"], "Expected a whole number from 0 to 65535.\n"],
    [["search", "x", "--as-of", "yesterday"], "Not an instant: yesterday"],
    [["raw", "short-video", "video", "--param", "item_id"], "name=value"],
  ])("%j is a usage error", async (args, message) => {
    const { code, out, err } = await capture(args);
    expect(code).toBe(2);
    expect(err).toContain(message);
    expect(out).toBe("");
  });

  test.each([
    [["install", ""], "dir"],
    [["install", "slices", ""], "dir"],
    [["install", "slices", "--lake", ""], "--lake"],
    [["search", "x", "--lake="], "--lake"],
    [["export", "--format", "csv", "--out", ""], "--out"],
    [["ingest", "", "--adapter", "x", "--out", "o"], "input"],
    [["ingest", "--guess", ""], "--guess"],
    [["pull", ""], "source"],
    [["diff", "a", ""], "after"],
    [["keys", "list", "--lake", ""], "--lake"],
  ])("%j names no path, which is not the working folder", async (args, name) => {
    const { code, err, out } = await capture(args);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toBe(
      `Error invalid_argument: ${name} is "", it must be a path, not an empty text\n` +
        "  give a path; a variable of the shell that is not set is an empty text\n",
    );
  });

  test.each([
    [["publish", CLUSTER, "--out", "public"]],
    [["diff", "slices", CLUSTER]],
    [["describe", CLUSTER, "--out", "about"]],
    [["pii", "slices", CLUSTER]],
    [["pull", CLUSTER, "--lake", "lake"]],
    [["export", "--format", "csv", "--out", CLUSTER]],
    [["compact", "--lake", CLUSTER]],
  ])("%j takes no lake on ClickHouse, and shows no password", async (args) => {
    const { code, err, out } = await capture(args);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toMatch(/^Error folder_needed: /);
    expect(err).not.toContain("secret");
  });

  test.each([
    [["ingest", "--guess", "--out", "slices"], "--guess <file>", "--out"],
    [["search", "x", "--lake", "--json"], "--lake <dir>", "--json"],
    [["export", "--format", "csv", "--out", "--help"], "--out <file>", "--help"],
    [["pull", "source", "--lake=--verify"], undefined, undefined],
    [["ingest", "x", "--revises", "a", "--revises", "--strict"], "--revises <dir>", "--strict"],
  ])("%j gives an option as the value of another", async (args, flags, other) => {
    const { code, err, out } = await capture(args);
    if (flags === undefined) return expect(err).not.toContain("has no value");
    expect(code).toBe(2);
    const message = `${flags.split(" ", 1)[0]} has no value: ${other}, behind it, is an option`;
    const remedy = `write ${flags}; a file whose name begins with - is given as ./-…`;
    if (args.includes("--json")) expect(JSON.parse(out).error).toMatchObject({ message, remedy });
    else expect(err).toBe(`Error invalid_argument: ${message}\n  ${remedy}\n`);
  });

  test("an empty $MIRRORLAKE_LAKE is as none", async () => {
    const cwd = join(tmpdir(), "no-such-folder");
    const { err } = await capture(["search", "x"], { cwd, env: { MIRRORLAKE_LAKE: "" } });
    expect(err).toContain(`There is no lake at ${join(cwd, ".mirrorlake", "lake")}`);
  });

  test("with --json a usage error is one JSON object on standard output", async () => {
    const { code, out } = await capture(["search", "x", "--json", "--limit", "ten"]);
    expect(code).toBe(2);
    expect(JSON.parse(out).error).toMatchObject({ code: "usage" });
  });

  test("a command is listed as its own file describes it", async () => {
    const listed = (await createProgram(fakeContext(), () => false)).helpInformation();
    expect(listed).toBe((await createProgram(fakeContext())).helpInformation());
  });

  test("every command that does something has a description and examples", async () => {
    for (const { path, command } of commandsOf(await createProgram(fakeContext()))) {
      if (command.commands.length > 0) continue;
      const { code, out } = await capture([...path, "--help"]);
      expect(code).toBe(0);
      expect(command.description(), path.join(" ")).not.toBe("");
      // What completion prints is a script, and mcp speaks a protocol, terminal or not.
      if (!["completion", "mcp"].includes(path[0]!)) expect(out, path.join(" ")).toContain("--json");
      expect(out, path.join(" ")).toContain(`$ mirrorlake ${path.join(" ")}`);
    }
  });
});

describe("reportError", () => {
  test("says a local error with its remedy", () => {
    const context = fakeContext();
    const error = new LakeError("lake_not_found", "No lake at /x", { remedy: "Run mirrorlake install." });
    expect(reportError(error, context, false)).toBe(1);
    expect(context.text.err).toBe("Error lake_not_found: No lake at /x\n  Run mirrorlake install.\n");
    expect(context.text.out).toBe("");
  });

  test("says an API error in the service's own envelope with --json", () => {
    const context = fakeContext();
    const error = new ApiError("rate_limited", { requestId: "r-1", retryAfterS: 7 });
    expect(reportError(error, context, true)).toBe(1);
    expect(JSON.parse(context.text.out)).toEqual({
      error: { code: "rate_limited", message: "Rate limited", request_id: "r-1" },
    });
    expect(context.text.err).toBe("");
  });

  test("tells when to come back", () => {
    const context = fakeContext();
    const error = new ApiError("rate_limited", { retryAfterS: 7 });
    reportError(error, context, false);
    expect(context.text.err).toBe(
      `Error 429 rate_limited: Rate limited. Retry after 7 s.\n  ${error.remedy}\n`,
    );
  });

  test("a usage error of the library is a usage error of the command line", () => {
    const error = new UsageError("bad", "Bad", { remedy: "Do better." });
    expect(reportError(error, fakeContext(), false)).toBe(2);
  });

  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("%s ends with %d, whatever was thrown on the way", (by, code) => {
    const context = { ...fakeContext(), signal: AbortSignal.abort(new Interruption(by)) };
    expect(reportError(new Error("aborted"), context, false)).toBe(code);
    expect(context.text.err).toBe("Interrupted.\n");
  });

  test("an unexpected error is one line, with its stack only on request", () => {
    const context = fakeContext();
    expect(reportError(new TypeError("boom"), context, false)).toBe(1);
    expect(context.text.err).toBe("Error: boom\n");
  });
});
