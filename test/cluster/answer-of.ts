import type { LakeClient } from "../../src/client/open-lake.js";

/** What a call answers, or how it fails; without what names the call, or files that only a folder has. */
export async function answerOf(
  lake: LakeClient,
  id: string,
  params: Record<string, unknown>,
): Promise<unknown> {
  const answer = await lake
    .call(id, params)
    .catch((error: { code?: string }) => ({ error: error.code ?? error }));
  if ("error" in answer) return answer;
  const { request_id: _, ...meta } = answer.meta as typeof answer.meta & { request_id?: string };
  const data = JSON.parse(
    JSON.stringify(answer.data, (key, value: unknown) => (key === "download_url" ? undefined : value)),
  ) as unknown;
  return { data, meta, ranks: (answer as { ranks?: unknown }).ranks };
}
