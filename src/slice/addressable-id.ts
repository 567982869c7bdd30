import { payloadId } from "./record-hash.js";

const MAX_ID = 150;
const UNSAFE = /[\s\p{Cc}%]/gu;
/** Ids that need no escaping, which is most of them. */
const PLAIN_ID = /^[\w.:-]{1,150}$/;

/**
 * The addressable form of a platform's own id, as `ingest` stores it: whitespace, control characters and `%` are percent-encoded; an id
 * longer than 150 characters becomes its hash.
 * @throws MirrorlakeError `not_canonical_json` for a long id that is no Unicode text
 */
export function addressableId(ownId: string): string {
  if (PLAIN_ID.test(ownId)) return ownId;
  const safe = ownId.replace(UNSAFE, encodeURIComponent);
  return safe.length > MAX_ID ? payloadId(ownId) : safe;
}

/**
 * The forms in which a lake may hold an id that somebody asks for: as it is written, then its addressable form if that is another.
 */
export function storedForms(id: string): readonly string[] {
  const isText = id.isWellFormed();
  const stored = isText ? addressableId(id) : id;
  return stored === id ? [id] : [id, stored];
}

/**
 * Every form in which a lake may hold what an id names: those of {@link storedForms}, and the own id that an addressable form was made
 * of, where it tells it. Programs may have stored that one as it is.
 */
export function allForms(id: string): readonly string[] {
  const forms = storedForms(id);
  const own = ownIdOf(id);
  return own === undefined || own === id ? forms : [...forms, own];
}

/** The own id that is stored as `id`; undefined if it is none's addressable form, or a hash. */
function ownIdOf(id: string): string | undefined {
  try {
    const own = decodeURIComponent(id);
    return addressableId(own) === id ? own : undefined;
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}
