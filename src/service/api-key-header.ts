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

/**
 * What is probably wrong with a key that is none; undefined where nothing can be said. A header that came more than once is joined with
 * commas (RFC 9110 section 5.3), which no key has.
 */
export function keyHint(apiKey: string | undefined): string | undefined {
  if (apiKey?.includes(",") !== true) return undefined;
  return "the key has a comma, as that of a header X-Api-Key that is sent twice: send one";
}
