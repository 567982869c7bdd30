/** Most rows, of all joins of a mapping together, that others can be joined to: they are held in memory. */
export const MAX_JOINED_ROWS = 1_000_000;
