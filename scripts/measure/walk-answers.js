/**
 * Follows every next call of a tool's answer, and puts the records together again: for tests and measurements of the promise that together
 * they bring everything exactly once.
 */

/** @typedef {import("mirrorlake/tools").Tool} Tool */
/** @typedef {{ readonly tool: string; readonly arguments: Readonly<Record<string, unknown>> }} Call */
/** @typedef {{ path: number[]; from: number; rest: unknown }} Piece */
/** @typedef {{ value: unknown; cite: string | undefined; pieces: Piece[] }} Collected */

const BEGIN = "<quoted-data>";
const END = "</quoted-data>";

/**
 * The values inside the marks of a text, and what stands outside them.
 * @param {string} text
 */
export function splitAnswer(text) {
  /** @type {unknown[]} */
  const values = [];
  /** @type {string[]} */
  const outside = [];
  let marks = 0;
  for (const line of text.split("\n")) {
    if (line === BEGIN || line === END) marks++;
    else if (marks % 2 === 1) values.push(JSON.parse(line));
    else outside.push(line);
  }
  return { values, outside: outside.join("\n"), marks };
}

/**
 * Follows a call and all that its answers name.
 * @param {ReadonlyMap<string, Tool>} tools
 * @param {Call} first
 * @param {(answer: Awaited<ReturnType<Tool["execute"]>>, call: Call) => void} [onAnswer]
 */
export async function walkAnswers(tools, first, onAnswer) {
  /** @type {Map<string, Collected>} */
  const records = new Map();
  /** @type {Set<string>} */
  const asked = new Set();
  const queue = [first];
  for (const call of queue) {
    const key = JSON.stringify(call);
    if (asked.has(key)) throw new Error(`named twice: ${key}`);
    asked.add(key);
    const tool = tools.get(call.tool);
    if (tool === undefined) throw new Error(`no such tool: ${key}`);
    const answer = await tool.execute(call.arguments);
    onAnswer?.(answer, call);
    if (answer.isError) throw new Error(`${key} fails: ${answer.text}`);
    const { skip = 0, part, ...rest } = tool.inputSchema.parse(call.arguments);
    for (const [i, value] of splitAnswer(answer.text).values.entries())
      collect(records, `${call.tool} ${JSON.stringify(rest)} ${Number(skip) + i}`, value, part !== undefined);
    for (const next of answer.structured.next) queue.push(/** @type {Call} */ (next));
  }
  return { records: [...records.values()].map(assemble), calls: asked.size };
}

/**
 * @param {Map<string, Collected>} records
 * @param {string} key
 * @param {unknown} line
 * @param {boolean} isPart
 */
function collect(records, key, line, isPart) {
  const known = records.get(key);
  if (isPart) {
    const { part, rest } = /** @type {{ part: string; rest: unknown }} */ (line);
    const [path, from] = part.split("@");
    if (known === undefined) throw new Error(`a part before its record: ${key}`);
    known.pieces.push({ path: String(path).split("/").slice(1).map(Number), from: Number(from), rest });
    return;
  }
  if (known !== undefined) throw new Error(`brought twice: ${key}`);
  const isObject = typeof line === "object" && line !== null && !Array.isArray(line);
  const { cite, ...value } = /** @type {{ cite?: string }} */ (isObject ? line : {});
  records.set(key, { value: isObject ? value : line, cite, pieces: [] });
}

/**
 * @param {Collected} record
 * @returns {{ value: unknown; cite: string | undefined }}
 */
function assemble({ value, cite, pieces }) {
  let whole = value;
  let left = pieces;
  while (left.length > 0) {
    const before = left.length;
    left = left.filter((piece) => {
      const joined = join(whole, piece, 0);
      if (joined === undefined) return true;
      whole = joined.value;
      return false;
    });
    if (left.length === before)
      throw new Error(`pieces that do not fit: ${JSON.stringify(left).slice(0, 300)}`);
  }
  return { value: whole, cite };
}

/**
 * Adds a piece where it belongs; undefined if what comes before it is not there yet.
 * @param {unknown} value
 * @param {Piece} piece
 * @param {number} depth
 * @returns {{ value: unknown } | undefined}
 */
function join(value, piece, depth) {
  const { path, from, rest } = piece;
  if (depth === path.length) {
    if (typeof value === "string") return value.length === from ? { value: value + String(rest) } : undefined;
    const entries = Object.entries(/** @type {object} */ (value));
    if (entries.length !== from) return undefined;
    const more = /** @type {object} */ (rest);
    return {
      value: Array.isArray(value)
        ? [...value, .../** @type {unknown[]} */ (more)]
        : Object.fromEntries([...entries, ...Object.entries(more)]),
    };
  }
  const entries = Object.entries(/** @type {object} */ (value));
  const entry = entries[path[depth] ?? -1];
  if (entry === undefined) return undefined;
  const joined = join(entry[1], piece, depth + 1);
  if (joined === undefined) return undefined;
  entry[1] = joined.value;
  return {
    value: Array.isArray(value) ? entries.map(([, element]) => element) : Object.fromEntries(entries),
  };
}
