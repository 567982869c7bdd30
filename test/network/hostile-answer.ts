import type { Socket } from "node:net";
import { gzipSync } from "node:zlib";
import type { Random } from "../support/fuzz/random.js";

const STATUSES = [
  200, 200, 200, 200, 100, 101, 199, 204, 206, 301, 302, 304, 307, 400, 401, 402, 404, 405,
] as const;
const MORE_STATUSES = [416, 418, 429, 500, 502, 503, 504, 599, 600, 999] as const;
const TEXTS = [
  "",
  "x",
  "NaN",
  "-1000",
  "0.000000",
  "1e999",
  "__proto__",
  "\u001b[2J",
  "\ud800",
  "手机",
  "a".repeat(5000),
];

/** Any JSON value, some of them of hostile kinds. */
function anyValue(random: Random, depth = 0): unknown {
  switch (random.below(depth > 3 ? 5 : 8)) {
    case 0:
      return null;
    case 1:
      return random.chance(0.5);
    case 2:
      return random.pick([0, -1, 1e308, -1e-308, 2 ** 53, 0.1, 200, 429]);
    case 3:
    case 4:
      return random.pick(TEXTS);
    case 5:
      return Array.from({ length: random.below(5) }, () => anyValue(random, depth + 1));
    case 6:
      return JSON.parse("[".repeat(2000) + "]".repeat(2000));
    default:
      return Object.fromEntries(
        Array.from({ length: random.below(5) }, () => [random.pick(NAMES), anyValue(random, depth + 1)]),
      );
  }
}

const NAMES = [
  "__proto__",
  "constructor",
  "data",
  "meta",
  "error",
  "items",
  "cursor",
  "root",
  "slices",
  "then",
];

/** A value that is right but for some of its parts. */
function mutated(value: unknown, random: Random): unknown {
  if (random.chance(0.08)) return anyValue(random);
  if (Array.isArray(value)) return value.map((item) => mutated(item, random));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(() => !random.chance(0.03))
      .map(([name, member]) => [name, mutated(member, random)]),
  );
}

/** The bytes of a body: JSON, whole or not, in this or that encoding, or no JSON. */
function bodyOf(right: readonly unknown[], random: Random): Buffer {
  const text = JSON.stringify(random.chance(0.85) ? mutated(random.pick(right), random) : anyValue(random));
  switch (random.below(10)) {
    case 0:
      return Buffer.from(text.slice(0, random.below(text.length + 1)));
    case 1:
      return Buffer.from(`\ufeff${text}`);
    case 2:
      return Buffer.from(text, "utf16le");
    case 3:
      return Buffer.concat([Buffer.from(text), Buffer.from([0xff, 0xfe, 0x00])]);
    case 4:
      return Buffer.from("<html><body>Bad gateway</body></html>");
    case 5:
      return Buffer.from("[".repeat(100_000));
    default:
      return Buffer.from(text);
  }
}

function headersOf(body: Buffer, random: Random): { readonly lines: string[]; readonly body: Buffer } {
  const lines: string[] = [];
  let sent = body;
  const types = ["application/json", "application/json; charset=utf-16", "text/html", "", "\u0001"];
  if (random.chance(0.8)) lines.push(`Content-Type: ${random.pick(types)}`);
  if (random.chance(0.2)) {
    const coding = random.pick([
      "gzip",
      "gzip",
      "br",
      "zstd",
      "identity",
      "gzip, gzip",
      "gzip,".repeat(50),
      "\u0000",
    ]);
    lines.push(`Content-Encoding: ${coding}`);
    if (coding === "gzip" && random.chance(0.7)) sent = gzipSync(body);
    if (random.chance(0.2)) sent = sent.subarray(0, random.below(sent.length + 1));
  }
  const retries = ["0", "-5", "1e400", "soon", "99999999999", "Thu, 01 Jan 1970 00:00:00 GMT"];
  if (random.chance(0.2)) lines.push(`Retry-After: ${random.pick(retries)}`);
  if (random.chance(0.2)) lines.push(`X-Service-Charged: ${random.pick(TEXTS.slice(0, 6))}`);
  if (random.chance(0.2)) lines.push(`X-Mirrorlake-Hint: ${random.pick(["%E0%A4%A", "%1b[2J", "x"])}`);
  if (random.chance(0.2))
    lines.push(
      `Location: ${random.pick(["/", "file:///etc/passwd", "http://127.0.0.1:1/", "//", "http://[", ""])}`,
    );
  if (random.chance(0.05)) lines.push(`X-Long: ${"x".repeat(random.below(40_000))}`);
  if (random.chance(0.05)) lines.push(random.pick(["no colon", ": empty", "A\u0000: b", " folded: x"]));
  if (random.chance(0.1)) lines.push(`Content-Range: bytes ${random.pick(["0-1/2", "*/0", "9-1/x"])}`);
  return { lines, body: sent };
}

/** Writes one answer made by the dice, and ends the connection, breaks it, or leaves it as it is. */
export function hostileAnswer(right: readonly unknown[], random: Random): (socket: Socket) => void {
  // Often the frame is sound, and only what it holds is not.
  if (random.chance(0.4)) {
    const sound = Buffer.from(JSON.stringify(mutated(random.pick(right), random)));
    const head = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${sound.length}\r\n\r\n`;
    return (socket) => socket.end(Buffer.concat([Buffer.from(head), sound]));
  }
  const { lines, body } = headersOf(bodyOf(right, random), random);
  const chunked = random.chance(0.3);
  const lengths = [
    body.length,
    body.length,
    body.length,
    body.length + 7,
    Math.max(0, body.length - 7),
    -1,
    2 ** 60,
  ];
  if (chunked) lines.push("Transfer-Encoding: chunked");
  if (!chunked || random.chance(0.1)) lines.push(`Content-Length: ${random.pick(lengths)}`);
  const status = random.pick(random.chance(0.7) ? STATUSES : MORE_STATUSES);
  const first = random.chance(0.96)
    ? `HTTP/1.1 ${status} ${random.pick(["OK", "", "x".repeat(300)])}`
    : "HTTP/9 x";
  const sizes = random.pick(["", "", "", "", "zz", "-1", "ffffffffffffffffff", ";x=y"]);
  const pieces: (string | Buffer)[] = [`${first}\r\n${lines.join("\r\n")}\r\n\r\n`];
  if (chunked) {
    pieces.push(
      `${sizes.startsWith(";") ? `${body.length.toString(16)}${sizes}` : sizes || body.length.toString(16)}\r\n`,
    );
    pieces.push(body, "\r\n");
    if (random.chance(0.85)) pieces.push("0\r\n\r\n");
  } else pieces.push(body);
  const end = random.pick(["end", "end", "end", "end", "keep", "reset"]);
  return (socket) => {
    const bytes = Buffer.concat(pieces.map((piece) => Buffer.from(piece)));
    if (end === "end") socket.end(bytes);
    else socket.write(bytes, () => end === "reset" && socket.resetAndDestroy());
  };
}
