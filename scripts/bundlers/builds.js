// How the program is bundled, by name: what docs/bundlers.md says. Each returns the file to run.
import { join } from "node:path";
import { build as esbuild } from "esbuild";
import { build as vite } from "vite";
import webpack from "webpack";

/** Packages that hold compiled code or load it: no bundler can take them in. */
const NATIVE = ["@duckdb/node-api", "libsql"];

export const BUILDS = {
  "esbuild, package left outside": async ({ program, out }) => {
    const outfile = join(out, "app.js");
    await esbuild({
      entryPoints: [program],
      outfile,
      bundle: true,
      platform: "node",
      format: "esm",
      external: ["mirrorlake"],
    });
    return outfile;
  },
  "esbuild, package bundled": async ({ program, out, root }) => {
    await esbuild({
      absWorkingDir: root,
      entryPoints: {
        app: program,
        "mirrorlake-worker": "mirrorlake/worker",
        "mirrorlake-sql": "mirrorlake/sql",
      },
      outdir: out,
      bundle: true,
      splitting: true,
      platform: "node",
      format: "esm",
      external: NATIVE,
    });
    return join(out, "app.js");
  },
  "Vite SSR": async ({ program, out, root }) => {
    await vite({
      root,
      configFile: false,
      logLevel: "warn",
      build: { ssr: program, outDir: out, emptyOutDir: true },
      ssr: { external: ["mirrorlake"] },
    });
    return join(out, "program.js");
  },
  webpack: async ({ program, out, root }) => {
    await runWebpack({
      mode: "production",
      context: root,
      target: "node20",
      entry: program,
      output: { path: out, filename: "app.js", module: true },
      experiments: { outputModule: true },
      externalsType: "module-import",
      externals: [/^mirrorlake(\/|$)/],
    });
    return join(out, "app.js");
  },
};

function runWebpack(options) {
  return new Promise((resolve, reject) => {
    webpack(options, (error, stats) => {
      if (error) reject(error);
      else if (stats.hasErrors()) reject(new Error(stats.toString({ colors: false })));
      else resolve();
    });
  });
}
