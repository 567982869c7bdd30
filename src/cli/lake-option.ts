import type { LakeClient } from "../client/open-lake.js";
import { terminalLine } from "../contract/terminal-text.js";
import type { FaultInjector } from "../faults/fault-injector.js";
import type { Embedder } from "../search/embed/embedder.js";
import type { CliContext } from "./context.js";
import { type EmbedderOptions, embedderOf } from "./lake/embedder-option.js";
import { accountAddress, clickHouseLake, existingLakePath } from "./options.js";

/** Options of every command that queries a lake. */
export interface LakeOptions extends EmbedderOptions {
  readonly lake?: string;
  readonly account?: string;
  /** Whether nothing that the command does is charged: it takes no account. */
  readonly free?: boolean;
  readonly json?: boolean;
  readonly asOf?: string;
  readonly readOnly?: boolean;
  readonly maxFreshness?: "unlimited" | undefined;
}

/**
 * Opens the lake that the options name, passes it to `use`, and always closes it.
 *
 * @param limits `off` for commands that follow cursors to the end: the rate limit would stop them half-way
 */
export async function withLake(
  options: LakeOptions,
  context: CliContext,
  use: (lake: LakeClient) => Promise<void>,
  limits: "on" | "off" = "on",
): Promise<void> {
  const lake = await openLakeOf(options, context, { limits, embedder: await embedderOf(options, context) });
  try {
    await use(lake);
  } finally {
    await lake.close();
  }
}

/** Opens the lake that the options name; the caller closes it. @param given.limits `off`: without rate limit and caps */
export async function openLakeOf(
  options: LakeOptions,
  context: CliContext,
  given: {
    readonly limits: "on" | "off";
    readonly embedder?: Embedder | undefined;
    readonly faults?: FaultInjector | undefined;
  },
): Promise<LakeClient> {
  const { openLake } = await import("../client/open-lake.js");
  return openLake(clickHouseLake(options, context) ?? (await existingLakePath(options, context)), {
    account: options.free === true ? "memory" : accountAddress(options, context),
    ...given,
    asOf: options.asOf,
    readOnly: options.readOnly,
    maxFreshness: options.maxFreshness,
    onNotice: (message) => context.err.write(`${terminalLine(message)}\n`),
  });
}
