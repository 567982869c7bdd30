import { join, resolve } from "node:path";
import type { Command } from "commander";
import { UsageError } from "../../contract/errors.js";
import type { Embedder } from "../../search/embed/embedder.js";
import type { Pooling } from "../../search/embed/transformers/transformers-embedder.js";
import type { CliContext } from "../context.js";
import { DEFAULT_EMBEDDING_URL } from "../defaults.js";

const SETTINGS = {
  openai: ["url", "dimensions", "shorten", "id", "document-prefix", "query-prefix"],
  transformers: ["dtype", "pooling", "id", "document-prefix", "query-prefix"],
} as const;
const HELP =
  "openai:<model>[?url=…&dimensions=…] or transformers:<folder>[?dtype=…&pooling=…] (default: the lake's own, no download)";

/** Options of a command that takes an embedder. */
export interface EmbedderOptions {
  readonly embedder?: string;
}

/** Adds `--embedder`; {@link embedderOf} creates the embedder. */
export function embedderOption(command: Command): Command {
  return command.option("--embedder <spec>", `embedder: ${HELP}`);
}

/**
 * The embedder that the options name, or undefined for the lake's own. A server's key comes from `OPENAI_API_KEY`, its address
 * from the spec or `OPENAI_BASE_URL`. Neither comes from the lake, so an untrusted lake cannot obtain the key.
 * @throws UsageError `embedder_spec` for a malformed spec or an unknown setting
 */
export async function embedderOf(
  { embedder: spec }: EmbedderOptions,
  { cwd, env }: CliContext,
): Promise<Embedder | undefined> {
  if (spec === undefined) return undefined;
  const { kind, name, settings } = parseSpec(spec);
  const common = {
    ...pick(settings, "id", "id"),
    ...pick(settings, "document-prefix", "documentPrefix"),
    ...pick(settings, "query-prefix", "queryPrefix"),
    cacheDir: cacheFolder(env),
  };
  if (kind === "transformers") {
    const { transformersEmbedder } = await import("../../search/embed/transformers/transformers-embedder.js");
    const pooling = settings.get("pooling") as Pooling | null;
    return transformersEmbedder({
      modelDir: resolve(cwd, name),
      ...common,
      ...pick(settings, "dtype", "dtype"),
      pooling: pooling ?? undefined,
    });
  }
  const { openaiEmbedder } = await import("../../search/embed/openai/openai-embedder.js");
  const dimensions = settings.get("dimensions");
  return openaiEmbedder({
    model: name,
    baseUrl: settings.get("url") ?? env.OPENAI_BASE_URL ?? DEFAULT_EMBEDDING_URL,
    apiKey: env.OPENAI_API_KEY,
    ...common,
    dimensions: dimensions === null ? undefined : Number(dimensions),
    ...(settings.has("shorten") ? { shorten: true } : {}),
  });
}

/** The same embedder as named from any folder. @throws UsageError `embedder_spec` */
export function portableEmbedder(spec: string, cwd: string): string {
  const { kind, name } = parseSpec(spec);
  const prefix = `${kind}:`;
  const rest = spec.slice(prefix.length + name.length);
  return kind === "transformers" ? `${prefix}${resolve(cwd, name)}${rest}` : spec;
}

function cacheFolder(env: CliContext["env"]): string | undefined {
  const caches = env.XDG_CACHE_HOME ?? (env.HOME === undefined ? undefined : join(env.HOME, ".cache"));
  return caches === undefined ? undefined : join(caches, "mirrorlake", "embeddings");
}

function parseSpec(spec: string) {
  const match = /^(openai|transformers):([^?]+)(?:\?(.*))?$/.exec(spec);
  if (match === null) {
    const named = /^(?:openai|transformers):/.test(spec);
    throw badSpec(spec, named ? "it names no model" : "it does not start with openai: or transformers:");
  }
  const [, kind, name, query = ""] = match as unknown as [string, keyof typeof SETTINGS, string, string?];
  const settings = new URLSearchParams(query);
  const known: readonly string[] = SETTINGS[kind];
  const unknown = [...settings.keys()].find((key) => !known.includes(key));
  if (unknown !== undefined)
    throw badSpec(spec, `${kind} has no setting ${unknown}; its settings are ${known.join(", ")}`);
  const pooling = settings.get("pooling");
  if (pooling !== null && !["mean", "cls", "last_token"].includes(pooling))
    throw badSpec(spec, "pooling must be mean, cls or last_token");
  return { kind, name, settings };
}

function pick<K extends string>(settings: URLSearchParams, key: string, as: K): { [P in K]?: string } {
  const value = settings.get(key);
  return value === null ? {} : ({ [as]: value } as { [P in K]?: string });
}

function badSpec(spec: string, why: string): UsageError {
  return new UsageError("embedder_spec", `--embedder ${spec} is invalid: ${why}`, {
    value: spec,
    remedy: `write ${HELP}`,
  });
}
