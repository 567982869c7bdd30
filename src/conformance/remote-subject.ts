import { readFile } from "node:fs/promises";
import { z } from "zod";
import { connect } from "../client/connect.js";
import { UsageError } from "../contract/errors.js";
import { CATALOGUE } from "../contract/service/catalogue.js";
import { PlatformSlug } from "../contract/service/platforms.js";
import { ITEM_ID_PATTERN } from "../contract/service/raw.js";
import { createSender } from "../network/sender.js";
import type { Samples, Subject } from "./rule.js";
import { wireEntrance } from "./transports.js";

const words = z.string().min(1).max(500);
const itemId = z.string().regex(ITEM_ID_PATTERN);

/** Schema of the file that `MIRRORLAKE_REMOTE_SAMPLES` names; see {@link Samples}. */
const SamplesFile = z.strictObject({
  query: words,
  rare: z.strictObject({ query: words, recordId: z.string() }),
  oldQuery: words,
  platform: z.strictObject({ slug: PlatformSlug, domain: z.string() }),
  itemId,
  commentCount: z.number().int().min(51),
  absentItemId: itemId,
}) satisfies z.ZodType<Samples>;

/** A remote service as a subject: requests over the network, no control of its account or clock. */
export function openRemoteSubject(baseUrl: string, apiKey: string, samples: Samples): Subject {
  const base = connect({ baseUrl, apiKey }).baseUrl; // checks both
  return {
    transport: "remote",
    catalogue: CATALOGUE,
    samples,
    apiKey,
    ...wireEntrance(createSender(), base, CATALOGUE, apiKey),
  };
}

/**
 * The remote service that the environment names, or undefined: `MIRRORLAKE_REMOTE_URL`, `MIRRORLAKE_REMOTE_KEY`, and
 * `MIRRORLAKE_REMOTE_SAMPLES`, a JSON file of {@link Samples}. Calls are charged to that key.
 * @throws UsageError `remote_incomplete`, `remote_samples_invalid`
 */
export async function remoteSubject(
  env: Readonly<Record<string, string | undefined>>,
): Promise<Subject | undefined> {
  const { MIRRORLAKE_REMOTE_URL: url, MIRRORLAKE_REMOTE_KEY: key, MIRRORLAKE_REMOTE_SAMPLES: file } = env;
  if (url === undefined && key === undefined) return undefined;
  if (url === undefined || key === undefined || file === undefined) {
    const absent = [
      ...(url === undefined ? ["address"] : []),
      ...(key === undefined ? ["key"] : []),
      ...(file === undefined ? ["samples"] : []),
    ];
    throw new UsageError(
      "remote_incomplete",
      `Of the remote service no ${absent.join(" and no ")} is given`,
      {
        value: absent,
        remedy:
          "Give all: --against or MIRRORLAKE_REMOTE_URL, --key or MIRRORLAKE_REMOTE_KEY, --samples or MIRRORLAKE_REMOTE_SAMPLES.",
      },
    );
  }
  return openRemoteSubject(url, key, await readSamples(file));
}

async function readSamples(file: string): Promise<Samples> {
  try {
    return SamplesFile.parse(JSON.parse(await readFile(file, "utf8")));
  } catch (cause) {
    throw new UsageError("remote_samples_invalid", `Not a file of samples: ${file}`, {
      value: file,
      remedy: `Give JSON with ${Object.keys(SamplesFile.shape).join(", ")}, naming items that the remote holds.`,
      cause,
    });
  }
}
