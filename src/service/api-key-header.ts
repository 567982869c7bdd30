/**
 * The API key of a request: from `Authorization: Bearer <key>`, else from `x-api-key: <key>` (service.md section 5).
 * Which of the two wins is assumed: a Bearer credential does, even if it is wrong; another authorization scheme (one
 * that a proxy added, say) is not ours and leaves the word to `x-api-key`.
 */
export function apiKeyFrom(
  authorization: string | null | undefined,
  xApiKey: string | null | undefined,
): string | undefined {
  const bearer = /^bearer(?:[ \t]+(.*))?$/i.exec(authorization?.trim() ?? "");
  if (bearer !== null) return bearer[1] ?? "";
  return xApiKey?.trim();
}
