import { createRequire } from "node:module";
import type { Command } from "commander";
import type { CliContext } from "./context.js";
import { type LakeOptions, withLake } from "./lake-option.js";
import { asOfOption, examples, lakeOption, readOnlyOption } from "./options.js";

const { version } = createRequire(import.meta.url)("../../package.json") as { version: string };

/** Registers `mcp`: the tools for language models over standard input and output. */
export function registerMcp(program: Command, context: CliContext): void {
  const command = program
    .command("mcp")
    .description("Serve a lake to an agent by the Model Context Protocol, over standard input and output.");
  asOfOption(readOnlyOption(lakeOption(command)));
  examples(command, ["mcp --lake .mirrorlake/demo"]);
  command.action((options: LakeOptions) =>
    withLake(options, context, async (client) => {
      const { tools } = await import("../tools/tools.js");
      const { serveMcpStdio } = await import("../mcp/serve-stdio.js");
      await serveMcpStdio(
        {
          version,
          tools: tools(client),
          onError: (error) => context.err.write(`${error.message}\n`),
        },
        { input: process.stdin, output: process.stdout, signal: context.signal },
      );
    }),
  );
}
