/**
 * Returns the API key of a request: from `Authorization: Bearer <key>`, else from `x-api-key: <key>` (service.md
 * section 5). Assumed: a Bearer credential takes precedence, even if it is wrong. Other authorization schemes, which a
 * proxy may add, are ignored.
 */
export function apiKeyFrom(
  authorization: string | null | undefined,
  xApiKey: string | null | undefined,
): string | undefined {
  const bearer = /^bearer(?:[ \t]+(.*))?$/i.exec(authorization?.trim() ?? "");
  if (bearer !== null) return bearer[1] ?? "";
  return xApiKey?.trim();
}
