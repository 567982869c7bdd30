import { createRequire } from "node:module";
import { type Command, InvalidArgumentError, Option } from "commander";
import { UsageError } from "../contract/errors.js";
import { omitUndefined } from "../contract/omit-undefined.js";
import { TOOL_DEFAULTS } from "../tools/defaults.js";
import type { ToolClient } from "../tools/tool.js";
import type { ToolName, ToolsOptions } from "../tools/tools.js";
import { type CliContext, printJson } from "./context.js";
import { embedderOption, portableEmbedder } from "./lake/embedder-option.js";
import { type LakeOptions, withLake } from "./lake-option.js";
import {
  accountAddress,
  accountOption,
  asOfOption,
  clickHouseLake,
  examples,
  lakeOption,
  lakePath,
  list,
  readOnlyOption,
  wholeNumber,
} from "./options.js";

const { version } = createRequire(import.meta.url)("../../package.json") as { version: string };

/** Variable of the environment with the key of a remote service: a command line can be read by others. */
const KEY_VARIABLE = "MIRRORLAKE_API_KEY";

interface McpOptions extends LakeOptions {
  readonly url?: string;
  readonly only?: readonly string[];
  readonly exclude?: readonly string[];
  readonly tokens: number;
  readonly budget?: string;
  readonly printConfig?: boolean;
}

/** Registers `mcp`: the tools for language models over standard input and output. */
export function registerMcp(program: Command, context: CliContext): void {
  const command = program
    .command("mcp")
    .description("Serve a lake to an agent by the Model Context Protocol, over standard input and output.")
    .addOption(
      new Option(
        "--url <base>",
        `ask a remote service instead of a lake; its key is in $${KEY_VARIABLE}`,
      ).conflicts(["lake", "account", "readOnly", "asOf", "embedder"]),
    )
    .option("--only <tools>", "only these tools; repeat or use commas", list)
    .option("--exclude <tools>", "not these tools; repeat or use commas", list)
    .option(
      "--tokens <n>",
      `most tokens of an answer, ${TOOL_DEFAULTS.minTokens} to ${TOOL_DEFAULTS.maxTokens}`,
      wholeNumber(TOOL_DEFAULTS.minTokens, TOOL_DEFAULTS.maxTokens),
      TOOL_DEFAULTS.tokens,
    )
    .option("--budget <usd>", "refuse calls beyond this amount, in all", amount)
    .option("--print-config", "print what a client's configuration file needs, and end");
  embedderOption(asOfOption(readOnlyOption(accountOption(lakeOption(command)))));
  examples(command, [
    "mcp --lake .mirrorlake/demo",
    "mcp --lake .mirrorlake/demo --print-config",
    "mcp --url https://api.example.com --only search,get_item --budget 0.50",
  ]);
  command.action(async (options: McpOptions) => {
    if (options.printConfig === true) return printJson(context, configOf(options, context));
    if (options.url === undefined)
      return withLake(options, context, (client) => serve(client, options, context));
    const apiKey = context.env[KEY_VARIABLE];
    if (apiKey === undefined)
      throw new UsageError("invalid_api_key", `There is no key: $${KEY_VARIABLE} is not set`, {
        value: undefined,
        remedy: `Set ${KEY_VARIABLE} to a key of the service at ${options.url}.`,
      });
    const { connect } = await import("../client/connect.js");
    await using client = connect({ baseUrl: options.url, apiKey });
    await serve(client, options, context);
  });
}

async function serve(client: ToolClient, options: McpOptions, context: CliContext): Promise<void> {
  const { tools } = await import("../tools/tools.js");
  const { serveMcpStdio } = await import("../mcp/serve-stdio.js");
  const { withBudget } = await import("../budget/with-budget.js");
  const { budget: usd } = options;
  const asked = usd === undefined ? client : withBudget(client, { usd });
  await serveMcpStdio(
    {
      version,
      client: asked,
      tools: tools(asked, toolsOptions(options)),
      onError: (error) => context.err.write(`${error.message}\n`),
    },
    { input: process.stdin, output: process.stdout, signal: context.signal },
  );
}

/** The options of the tool set; `tools` checks the names. */
function toolsOptions({ only, exclude, tokens }: McpOptions): ToolsOptions {
  return {
    only: only as readonly ToolName[] | undefined,
    exclude: exclude as readonly ToolName[] | undefined,
    tokens,
  };
}

/** What the configuration file of a client needs, as most clients read it. */
function configOf(options: McpOptions, context: CliContext): object {
  const { url, only = [], exclude = [], tokens, readOnly, asOf, embedder, budget } = options;
  const cluster = url === undefined ? clickHouseLake(options, context) : undefined;
  const args = [
    "-y",
    `mirrorlake@${version}`,
    "mcp",
    ...(url === undefined ? [] : ["--url", url]),
    ...(url === undefined && cluster === undefined ? ["--lake", lakePath(options, context)] : []),
    ...(readOnly === true ? ["--read-only"] : []),
    ...(asOf === undefined ? [] : ["--as-of", asOf]),
    ...(embedder === undefined ? [] : ["--embedder", portableEmbedder(embedder, context.cwd)]),
    ...(only.length === 0 ? [] : ["--only", only.join(",")]),
    ...(exclude.length === 0 ? [] : ["--exclude", exclude.join(",")]),
    ...(tokens === TOOL_DEFAULTS.tokens ? [] : ["--tokens", String(tokens)]),
    ...(budget === undefined ? [] : ["--budget", budget]),
  ];
  // A password may be in the address of an account or a lake: a command line can be read by others.
  const env =
    url === undefined
      ? omitUndefined({
          MIRRORLAKE_LAKE: cluster,
          MIRRORLAKE_ACCOUNT: accountAddress(options, context),
          ...(embedder?.startsWith("openai:") ? openaiEnvironment(context) : {}),
        })
      : { [KEY_VARIABLE]: "your key" };
  return {
    mcpServers: {
      mirrorlake: omitUndefined({
        command: "npx",
        args,
        env: Object.keys(env).length === 0 ? undefined : env,
      }),
    },
  };
}

/** What of the environment an embedder of a server needs, without its secret. */
function openaiEnvironment({ env }: CliContext) {
  return {
    OPENAI_BASE_URL: env.OPENAI_BASE_URL,
    OPENAI_API_KEY: env.OPENAI_API_KEY === undefined ? undefined : "your key",
  };
}

function amount(text: string): string {
  if (/^[0-9]{1,9}(\.[0-9]{1,6})?$/.test(text)) return text;
  throw new InvalidArgumentError("Expected an amount of USD, such as 0.50.");
}
