/** @module-tag slow */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type LakeClient, openLake } from "../../src/client/open-lake.js";
import { capture } from "../cli/capture.js";
import { demo } from "../support/demo-lake.js";
import { type Block, blocksOf, placeOf, ROOT, writtenDocuments } from "./markdown.js";
import { commandsOf, mirrorlakeArguments } from "./shell.js";
import { modulePath, toJavaScript } from "./typescript.js";
import { copyLake, makeWorkspace } from "./workspace.js";

const RUNNER = fileURLToPath(new URL("run-modules.mjs", import.meta.url));
const run = promisify(execFile);

const runs = ({ marks }: Block) => !marks.includes("no-run");
const documents = writtenDocuments()
  .map((document) => ({ document, blocks: blocksOf(document).filter(runs) }))
  .map(({ document, blocks }) => ({
    document,
    shell: blocks.filter(({ language }) => language === "sh"),
    code: blocks.filter(({ language }) => language === "ts"),
    sql: blocks.filter(({ language }) => language === "sql"),
  }));
const commands = documents.flatMap(({ document, shell }) =>
  shell.flatMap((block) =>
    commandsOf(block.code).map((words) => ({
      document,
      name: `${placeOf(block)}: ${words.join(" ")}`,
      args: mirrorlakeArguments(words),
    })),
  ),
);
const modules = documents.flatMap(({ document, code }) => code.map((block) => ({ document, block })));
const queries = documents.flatMap(({ sql }) => sql);

let scratch: string;
let lake: LakeClient;
const workspace = (path: string) => join(scratch, path.replace(/[^A-Za-z0-9]+/g, "-"));

beforeAll(async () => {
  if (!existsSync(join(ROOT, "dist", "lazy-index.js"))) throw new Error("build first: npm run build");
  scratch = await mkdtemp(join(tmpdir(), "mirrorlake-documents-"));
  const { lake: built } = await demo();
  for (const { document, shell, code } of documents) {
    if (shell.length + code.length > 0) await makeWorkspace(workspace(document.path), document, built);
  }
  await copyLake(built, join(scratch, "queried"));
  lake = await openLake(join(scratch, "queried"), { account: "memory" });
});

afterAll(async () => {
  await lake?.close();
  await rm(scratch, { recursive: true, force: true });
});

describe("commands", () => {
  test.each(commands)("$name", async ({ document, args }) => {
    expect(args, "a command of another program has to be marked no-run").toBeDefined();
    const { code, err, out } = await capture(args!, { cwd: workspace(document.path) });
    expect({ code, err: code === 0 ? "" : err }).toEqual({ code: 0, err: "" });
    expect(out).not.toBe("");
  });
});

describe("programs", () => {
  const outcomes = new Map<string, { readonly printed: string; readonly error?: string }>();
  const files = modules.map(({ block }) => modulePath(block).replace(/\.mts$/, `-${process.pid}.mjs`));

  beforeAll(async () => {
    await mkdir(dirname(files[0]!), { recursive: true });
    for (const [i, { block }] of modules.entries()) await writeFile(files[i]!, toJavaScript(block));
    const input = modules.map(({ document, block }, i) => ({
      name: placeOf(block),
      file: files[i],
      folder: workspace(document.path),
    }));
    const running = run(process.execPath, [RUNNER], { maxBuffer: 64 * 2 ** 20 });
    running.child.stdin!.end(JSON.stringify(input));
    const { stdout } = await running;
    for (const { name, ...outcome } of JSON.parse(stdout.slice(stdout.lastIndexOf("\n") + 1)))
      outcomes.set(name, outcome);
  });

  afterAll(() => Promise.all(files.map((file) => rm(file, { force: true }))));

  test.each(modules.map(({ block }) => placeOf(block)))(
    "%s runs to its end and prints something",
    (place) => {
      const { error, printed } = outcomes.get(place)!;
      expect(error).toBeUndefined();
      expect(printed).not.toBe("");
    },
  );
});

describe("queries", () => {
  test.each(queries.map((block): [string, Block] => [placeOf(block), block]))(
    "%s has rows",
    async (_, { code }) => {
      expect((await lake.sql(code)).length).toBeGreaterThan(0);
    },
  );
});

test("the mapping reads the file that is shown beside it", async () => {
  const folder = workspace("docs/data.md");
  const args = ["ingest", "shop", "--adapter", "my-mapping.json", "--out", "shop-slices", "--json"];
  const { out } = await capture(args, { cwd: folder });
  expect(JSON.parse(out)).toMatchObject({ read: 2, records: 2, rejected: 0 });
  expect(await readdir(join(folder, "shop-slices"))).not.toEqual([]);
});
