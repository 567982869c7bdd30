import type { z } from "zod";
import { PullError } from "../../contract/errors.js";
import { firstRule } from "../../contract/rule-text.js";
import { safeUrl } from "../source/http-client.js";
import type { OpenedClient } from "../source/open-client.js";
import { readDocument } from "../source/read-document.js";
import { DATASET_DEFAULTS } from "./defaults.js";

/** Reads a JSON document of a host, and its `Link` header. */
export type ReadJson = <T>(
  url: string,
  schema: z.ZodType<T>,
) => Promise<{ readonly json: T; readonly link: string | undefined }>;

/** Creates a {@link ReadJson}. Its function throws PullError `source_invalid` for what does not fit the schema. */
export function createReadJson({ client, policy }: OpenedClient): ReadJson {
  return async (url, schema) => {
    const { bytes, header } = await readDocument(client, url, DATASET_DEFAULTS.maxListBytes, policy);
    let document: unknown;
    try {
      document = JSON.parse(Buffer.from(bytes).toString("utf8"));
    } catch (cause) {
      throw invalid(url, (cause as Error).message, cause);
    }
    const parsed = schema.safeParse(document);
    if (parsed.success) return { json: parsed.data, link: header("link") };
    throw invalid(url, firstRule(parsed.error, "the document"), parsed.error);
  };
}

function invalid(url: string, reason: string, cause: unknown): PullError {
  return new PullError("source_invalid", `${safeUrl(url)} lists no dataset: ${reason}`, {
    value: safeUrl(url),
    remedy: "check the address; --layout says what the host is, where the address does not",
    cause,
  });
}
