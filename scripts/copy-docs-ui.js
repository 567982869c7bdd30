// Puts the two files that /docs needs of Swagger UI (1.9 MB of the package's 12 MB), and its licence, beside the built server.
import { copyFileSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const FILES = [
  "swagger-ui-bundle.js",
  "swagger-ui-bundle.js.LICENSE.txt",
  "swagger-ui.css",
  "LICENSE",
  "NOTICE",
];

const from = dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));
const to = fileURLToPath(new URL("../dist/http/docs-ui", import.meta.url));

mkdirSync(to, { recursive: true });
for (const file of FILES) copyFileSync(join(from, file), join(to, file));
