/**
 * SQL of the hash that the source gave a row of the table `records`. Rows whose shown hash is another, because a value of theirs is
 * derived, keep it in `prov_hash_given`, which is NULL for all others.
 * @param alias of the table
 */
export function givenHash(alias: string): string {
  return `coalesce(${alias}.prov_hash_given, ${alias}.prov_hash)`;
}
