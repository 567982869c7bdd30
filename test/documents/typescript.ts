import { existsSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { type Block, placeOf, ROOT } from "./markdown.js";

/** Folder within the package, where `mirrorlake` is the package itself. Nothing is written there for a type check. */
export const CODE_FOLDER = join(ROOT, ".mirrorlake", "documents");

const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  lib: ["lib.es2023.d.ts"],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  types: ["node"],
  strict: true,
  skipLibCheck: true,
  noEmit: true,
};

/** What a notebook's kernel brings, in place of the package that only kernels have. */
const KERNEL = `declare module "tslab" {
  export const display: { html(text: string): void; raw(type: string, text: string): void };
}
`;

/** Path of a block as a module. */
export function modulePath(block: Block): string {
  return join(CODE_FOLDER, `${placeOf(block).replace(/[^A-Za-z0-9]+/g, "-")}.mts`);
}

/** A block as a JavaScript module. */
export function toJavaScript({ code }: Block): string {
  const compilerOptions = { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext };
  return ts.transpileModule(code, { compilerOptions }).outputText;
}

/** Type errors of blocks, by the blocks' places: all are checked in one program, against the built package's types. */
export function typeErrors(blocks: readonly Block[]): ReadonlyMap<string, readonly string[]> {
  if (!existsSync(join(ROOT, "dist", "index.d.ts"))) throw new Error("build first: npm run build");
  const sources = new Map(blocks.map((block) => [modulePath(block), `${block.code}\nexport {};\n`]));
  const kernel = join(CODE_FOLDER, "kernel.d.mts");
  sources.set(kernel, KERNEL);
  const host = ts.createCompilerHost(OPTIONS);
  const { getSourceFile, fileExists, readFile } = host;
  host.fileExists = (path) => sources.has(path) || fileExists(path);
  host.readFile = (path) => sources.get(path) ?? readFile(path);
  host.getSourceFile = (path, options, ...rest) => {
    const text = sources.get(path);
    return text === undefined
      ? getSourceFile(path, options, ...rest)
      : ts.createSourceFile(path, text, options, true);
  };
  const program = ts.createProgram([...sources.keys()], OPTIONS, host);
  return new Map(
    blocks.map((block) => {
      const file = program.getSourceFile(modulePath(block))!;
      const found = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
      return [placeOf(block), found.map((each) => ts.flattenDiagnosticMessageText(each.messageText, "\n"))];
    }),
  );
}
