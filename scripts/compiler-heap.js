/**
 * Options of node for programs that check types: they keep most of what they make, which V8 would copy again and again between two
 * small spaces before it believes so.
 */
export const COMPILER_HEAP = ["--min-semi-space-size=64", "--max-semi-space-size=64"];
