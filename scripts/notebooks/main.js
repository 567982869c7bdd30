/** Runs the notebooks and writes their pages. `npm run task -- notebooks --help`. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { freePorts } from "../free-ports.js";
import { cleaned, faults, written } from "./notebook-file.js";

const HELP = `usage: npm run task -- notebooks [--out DIR] [--theme light|dark] [--clean] [NAME…]

Builds the demo lake, runs every notebook of fixtures/notebooks (or those named) in a kernel of its own, and writes a page of each.
Fails where a cell reports an error. Needs Debian's jupyter-nbconvert; the kernel, tslab, is installed beside this script.

  --out DIR     where pages go (default .mirrorlake/notebooks)
  --theme NAME  colours of the pages (default light)
  --clean       run nothing: take outputs and counts out of the notebooks, after working in them`;

const here = fileURLToPath(new URL("./", import.meta.url));
const root = resolve(here, "../..");
const folder = join(root, "fixtures/notebooks");
const LIMIT_S = 300;
const AT_ONCE = 2;
/** What a kernel listens on. Jupyter's own choice is of ports that the system may give to others before the kernel listens. */
const CHANNELS = ["shell", "iopub", "stdin", "hb", "control"];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: "string", default: join(root, ".mirrorlake/notebooks") },
    theme: { type: "string", default: "light" },
    clean: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

if (values.help) console.log(HELP);
else if (values.clean) await clean(await chosen());
else process.exitCode = await runAll(await chosen());

async function chosen() {
  const all = (await readdir(folder)).filter((name) => name.endsWith(".ipynb")).sort();
  const wanted = positionals.map((name) => `${basename(name, ".ipynb")}.ipynb`);
  const unknown = wanted.filter((name) => !all.includes(name));
  if (unknown.length > 0)
    throw new Error(`no such notebook: ${unknown.join(", ")}; there are ${all.join(", ")}`);
  return wanted.length > 0 ? wanted : all;
}

async function clean(names) {
  for (const name of names) {
    const file = join(folder, name);
    await writeFile(file, written(cleaned(JSON.parse(await readFile(file, "utf8")))));
  }
}

async function runAll(names) {
  const out = resolve(values.out);
  await rm(join(out, "executed"), { recursive: true, force: true });
  await mkdir(join(out, "executed"), { recursive: true });
  const env = { ...process.env, JUPYTER_PATH: join(out, "jupyter"), NO_COLOR: "1" };
  if ((await run("jupyter-nbconvert", ["--version"], { env })).code !== 0) {
    console.error("jupyter-nbconvert is missing: sudo apt-get install -y jupyter-nbconvert");
    return 1;
  }
  await installKernel(out);
  await must(process.execPath, [join(root, "dist/cli/main.js"), "demo"], { cwd: root });

  const waiting = [...names];
  const ports = await freePorts(CHANNELS.length * names.length);
  let failed = 0;
  const worker = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const started = performance.now();
      const problems = await runOne(name, out, env, ports.splice(0, CHANNELS.length));
      if (problems.length > 0) failed++;
      console.log(
        `${problems.length > 0 ? "FAILED" : "ok    "} ${name} ${((performance.now() - started) / 1000).toFixed(1)} s`,
      );
      for (const problem of problems) console.error(`  ${problem.replaceAll("\n", "\n  ")}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  console.log(
    failed > 0 ? `${failed} of ${names.length} notebooks failed` : `${names.length} pages in ${out}`,
  );
  return failed > 0 ? 1 : 0;
}

/** Executes a notebook and writes its page; says what went wrong. */
async function runOne(name, out, env, ports) {
  const executed = join(out, "executed", name);
  const run_ = await run(
    "jupyter-nbconvert",
    [
      ...["--to", "notebook", "--execute", "--allow-errors", `--ExecutePreprocessor.timeout=${LIMIT_S}`],
      ...["--config", join(here, "given-ports.py")],
      ...CHANNELS.map((channel, n) => `--KernelManager.${channel}_port=${ports[n]}`),
      ...["--output-dir", join(out, "executed"), "--output", name, join(folder, name)],
    ],
    { env },
  );
  if (run_.code !== 0) return [run_.output];
  const problems = faults(JSON.parse(await readFile(executed, "utf8")));
  const page = await run(
    "jupyter-nbconvert",
    [
      ...[
        "--to",
        "html",
        "--no-prompt",
        "--theme",
        values.theme,
        "--HTMLExporter.mathjax_url=",
        "--HTMLExporter.require_js_url=",
      ],
      ...["--output-dir", out, executed],
    ],
    { env },
  );
  if (page.code !== 0) return [...problems, page.output];
  const html = await readFile(join(out, name.replace(/\.ipynb$/, ".html")), "utf8");
  const outside =
    html.match(/<(?:script|link|img|iframe)\b[^>]*(?:src|href)\s*=\s*["']?(?:https?:)?\/\/[^"'> ]*/g) ?? [];
  return [...problems, ...outside.map((element) => `the page loads from outside: ${element}`)];
}

/** tslab, the file that tells Jupyter of it, and a place where its compiler finds this package by name. */
async function installKernel(out) {
  const tslab = join(here, "node_modules/tslab/bin/tslab");
  if (!existsSync(tslab)) await must("npm", ["ci", "--prefix", here, "--no-audit", "--no-fund"], {});
  const spec = {
    argv: [process.execPath, tslab, "kernel", "--config-path", "{connection_file}"],
    display_name: "TypeScript",
    language: "typescript",
    env: { NODE_OPTIONS: "--disable-warning=ExperimentalWarning" },
  };
  const kernel = join(out, "jupyter/kernels/tslab");
  await mkdir(kernel, { recursive: true });
  await writeFile(join(kernel, "kernel.json"), `${JSON.stringify(spec, null, 2)}\n`);
  const link = join(folder, "node_modules/mirrorlake");
  await mkdir(join(folder, "node_modules"), { recursive: true });
  await rm(link, { force: true });
  await symlink(root, link, "junction");
}

function run(command, args, options) {
  return new Promise((done) => {
    const child = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    const keep = (chunk) => {
      output += chunk;
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    child.on("error", (error) => done({ code: -1, output: String(error) }));
    child.on("close", (code) => done({ code, output }));
  });
}

async function must(command, args, options) {
  const { code, output } = await run(command, args, options);
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} failed:\n${output}`);
}
