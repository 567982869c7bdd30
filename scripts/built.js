/**
 * Imports a compiled module by its path in build/: scripts that measure look inside the package, where no entry point leads.
 * The caller says the type: that of the source which it was built from.
 * @param {string} path
 * @returns {Promise<any>}
 */
export function built(path) {
  return import(new URL(`../build/${path}`, import.meta.url).href);
}
