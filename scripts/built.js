/**
 * Imports a module of the built package by its path in dist/: scripts that measure look inside it, where no entry point leads.
 * The caller says the type: that of the source which it was built from.
 * @param {string} path
 * @returns {Promise<any>}
 */
export function built(path) {
  return import(new URL(`../dist/${path}`, import.meta.url).href);
}
