/** Remembers what came of the latest query: the ranking of words and the embedder of a search analyse the same one. */
export function rememberLast<T>(analyze: (query: string) => T): (query: string) => T {
  let last: { readonly query: string; readonly found: T } | undefined;
  return (query) => {
    if (last?.query !== query) last = { query, found: analyze(query) };
    return last.found;
  };
}
