import fc from "fast-check";

const KNOWN_KEYS = [
  "id",
  "text",
  "title",
  "created_at",
  "likes",
  "price",
  "user",
  "a.b",
  "rating",
  "category",
  "lang",
  "constructor",
  "toString",
];

/**
 * Rows of any shape: members with usual names and others, scalars, lists and objects.
 * @param otherKey names beside the usual ones
 */
export function anyRows(otherKey: fc.Arbitrary<string>, most?: number) {
  const key = fc.oneof(fc.constantFrom(...KNOWN_KEYS), otherKey);
  const scalar = fc.oneof(
    fc.string(),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
  );
  const value = fc.oneof(
    scalar,
    fc.array(scalar, { maxLength: 3 }),
    fc.dictionary(key, scalar, { maxKeys: 3 }),
  );
  const row = fc.dictionary(key, value, { minKeys: 1, maxKeys: 6 });
  return fc.array(row, { minLength: 1, maxLength: most });
}
