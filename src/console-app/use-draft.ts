import { useState } from "preact/hooks";

/**
 * What a person may change of a value of the page's address, until the address has another. It follows the address while the page is
 * drawn, since an effect comes later: what was typed before it would be lost.
 * @returns the draft, and what changes it
 */
export function useDraft<Value>(
  value: Value,
): readonly [Value, (change: Value | ((before: Value) => Value)) => void] {
  const [draft, setDraft] = useState(() => value);
  const [followed, setFollowed] = useState(() => JSON.stringify(value));
  const now = JSON.stringify(value);
  if (now === followed) return [draft, setDraft];
  setFollowed(now);
  setDraft(() => value);
  return [value, setDraft];
}
