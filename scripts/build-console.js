// Bundles the browser app of the web console into dist/console/app: all that it loads is in the package.
import { fileURLToPath } from "node:url";
import { build } from "vite";

await build({
  configFile: false,
  root: fileURLToPath(new URL("../src/console-app", import.meta.url)),
  base: "./",
  logLevel: "error",
  // The server puts a nonce of its own here, for each page (src/console/shell.ts).
  html: { cspNonce: "MIRRORLAKE_NONCE" },
  plugins: [
    {
      name: "server-root",
      // So does it with the way from a page to its root, which a proxy may have under any path.
      transformIndexHtml: {
        order: "post",
        handler: (html) => html.replaceAll('"./assets/', '"MIRRORLAKE_ROOTconsole/assets/'),
      },
    },
  ],
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: fileURLToPath(new URL("../dist/console/app", import.meta.url)),
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 500,
  },
});
