const file = import.meta.url; // console/assets/<name> of the server

/**
 * Path of the server, with a slash at the end: `/`, or where a proxy has it. The page's own address does not say it: a proxy's path
 * may be named like one of the console's.
 */
export const ROOT = new URL("../../", file).pathname;
