import { execFileSync } from "node:child_process";
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { UsageError } from "../../src/contract/errors.js";
import { checkOutput, replaceOutput } from "../../src/files/replace-output.js";

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-output-"));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const put = (out: string, text = "new", lake?: string) =>
  replaceOutput(out, (path) => writeFile(path, text), { lake });

/** What it throws for a path; its work may not begin. */
async function refusalOf(out: string, lake?: string): Promise<unknown> {
  let begun = false;
  const refusal = await replaceOutput(
    out,
    async () => {
      begun = true;
    },
    { lake },
  ).catch((error: unknown) => error);
  expect(begun).toBe(false);
  expect(refusal).toBeInstanceOf(UsageError);
  return refusal;
}

describe("a file is replaced", () => {
  test("or made, and nothing is left beside it", async () => {
    await put(join(dir, "x"), "one");
    await put(join(dir, "x"), "two");
    expect(await readFile(join(dir, "x"), "utf8")).toBe("two");
    expect(await readdir(dir)).toEqual(["x"]);
  });

  test.skipIf(process.platform === "win32").each([0o600, 0o640, 0o755, 0o444])(
    "with the permissions %o that it has",
    async (mode) => {
      const out = join(dir, "x");
      await writeFile(out, "old");
      await chmod(out, mode);
      await put(out);
      expect((await stat(out)).mode & 0o777).toBe(mode);
      expect(await readFile(out, "utf8")).toBe("new");
    },
  );

  test("behind a link, which stays", async () => {
    await mkdir(join(dir, "far"));
    await writeFile(join(dir, "far", "x"), "old");
    await symlink(join("far", "x"), join(dir, "one"));
    await symlink(join(dir, "one"), join(dir, "two"));
    await put(join(dir, "two"));
    expect(await readFile(join(dir, "far", "x"), "utf8")).toBe("new");
    for (const name of ["one", "two"]) expect((await lstat(join(dir, name))).isSymbolicLink()).toBe(true);
    expect(await readdir(join(dir, "far"))).toEqual(["x"]);
  });

  test("made where a link leads to nothing yet", async () => {
    await mkdir(join(dir, "far"));
    await symlink(join("far", "x"), join(dir, "link"));
    await put(join(dir, "link"));
    expect(await readFile(join(dir, "far", "x"), "utf8")).toBe("new");
    expect((await lstat(join(dir, "link"))).isSymbolicLink()).toBe(true);
  });

  test("not, where the work or the last check fails", async () => {
    const out = join(dir, "x");
    await writeFile(out, "old");
    const reason = new Error("no");
    await expect(replaceOutput(out, () => Promise.reject(reason))).rejects.toBe(reason);
    const beforeReplace = () => {
      throw reason;
    };
    await expect(replaceOutput(out, (path) => writeFile(path, "new"), { beforeReplace })).rejects.toBe(
      reason,
    );
    expect(await readFile(out, "utf8")).toBe("old");
    expect(await readdir(dir)).toEqual(["x"]);
  });
});

describe("is refused before any work", () => {
  test("a folder", async () => {
    expect(await refusalOf(dir)).toMatchObject({
      code: "unwritable_file",
      value: dir,
      message: `Cannot write ${dir}: it is a folder`,
    });
  });

  test("a folder that there is not", async () => {
    expect(await refusalOf(join(dir, "no", "x"))).toMatchObject({ code: "unwritable_file" });
  });

  test.skipIf(process.platform === "win32")("a named pipe, also behind a link", async () => {
    const pipe = join(dir, "pipe");
    execFileSync("mkfifo", [pipe]);
    await symlink(pipe, join(dir, "link"));
    for (const out of [pipe, join(dir, "link")]) {
      expect(await refusalOf(out)).toMatchObject({
        code: "unwritable_file",
        message: `Cannot write ${out}: it is a named pipe`,
      });
    }
    expect((await lstat(pipe)).isFIFO()).toBe(true);
  });

  test.skipIf(process.platform === "win32")("a socket", async () => {
    const path = join(dir, "socket");
    const server = createServer();
    await new Promise<void>((listening) => server.listen(path, listening));
    try {
      expect(await refusalOf(path)).toMatchObject({ message: `Cannot write ${path}: it is a socket` });
      expect((await lstat(path)).isSocket()).toBe(true);
    } finally {
      server.close();
    }
  });

  test("a link to itself", async () => {
    await symlink("b", join(dir, "a"));
    await symlink("a", join(dir, "b"));
    expect(await refusalOf(join(dir, "a"))).toMatchObject({ code: "unwritable_file" });
  });

  test("a file of the lake, by whatever name", async () => {
    const lake = join(dir, "lake");
    await mkdir(join(lake, "slices"), { recursive: true });
    await writeFile(join(lake, "CURRENT"), "1");
    await symlink(lake, join(dir, "alias"));
    await symlink(join(lake, "CURRENT"), join(dir, "file"));
    await symlink(join(lake, "new"), join(dir, "dangling"));
    const names = [
      join(lake, "CURRENT"),
      join(lake, "new"),
      join(lake, "slices", "x"),
      join(dir, "alias", "CURRENT"),
      join(dir, "file"),
      join(dir, "dangling"),
    ];
    for (const given of [lake, join(dir, "alias")]) {
      for (const out of names)
        expect(await refusalOf(out, given), out).toMatchObject({ code: "file_in_lake", value: out });
    }
    expect(await readFile(join(lake, "CURRENT"), "utf8")).toBe("1");
    await put(join(dir, "lake.csv"), "new", lake);
    expect(await checkOutput(join(dir, "x"), join(dir, "no-lake"))).toMatch(/x$/);
  });
});
