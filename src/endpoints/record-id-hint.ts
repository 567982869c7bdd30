import type { HandlerContext } from "./handler.js";
import { headerText } from "./header-text.js";
import { recordIdOf } from "./record-answer.js";

/**
 * Returns the header that names the platform's own id where a call gave a record's id, such as that of a search's answer. The answer itself
 * stays empty. No header for another id.
 * @param name of the parameter
 */
export function recordIdHint(
  name: string | undefined,
  id: string | undefined,
  { corpus, endpoint }: Pick<HandlerContext, "corpus" | "endpoint">,
): Readonly<Record<string, string>> {
  const platform = corpus.platforms().find(({ slug }) => slug === endpoint.platform);
  if (platform === undefined || name === undefined || id === undefined) return {};
  const prefix = recordIdOf(platform, "");
  if (!id.startsWith(prefix) || id === prefix) return {};
  const own = JSON.stringify(id.slice(prefix.length));
  return { "X-Mirrorlake-Hint": headerText(`${name} takes the platform's own id: ${own}`) };
}
