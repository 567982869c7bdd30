const DIGIT_0 = 48;
const MINUS = 45;
const POINT = 46;
const COMMA = 44;
const OPEN = 91;
const CLOSE = 93;

/** Most bytes of one number: sign, "0.", 5 zeros, 9 digits; or `String` of any double. */
const MAX_NUMBER_BYTES = 32;

const POWERS_OF_TEN = Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));

/**
 * Encodes a vector as a JSON array. Each number is a short decimal, of about 11 characters, that parses back to the same
 * single-precision value (as `Math.fround` of the parsed double).
 */
export function vectorText(vector: Float32Array): Buffer {
  const out = Buffer.allocUnsafe(vector.length * (MAX_NUMBER_BYTES + 1) + 2);
  let at = 0;
  out[at++] = OPEN;
  for (let i = 0; i < vector.length; i++) {
    if (i > 0) out[at++] = COMMA;
    at = writeNumber(out, at, vector[i]!);
  }
  out[at++] = CLOSE;
  return Buffer.from(out.subarray(0, at)); // a copy of exact size: the buffer may be cached
}

/** The numbers that the text of a vector says: of the same single-precision values, and as short in JSON. */
export function vectorNumbers(vector: Float32Array): number[] {
  return JSON.parse(vectorText(vector).toString("latin1")) as number[];
}

function writeNumber(out: Buffer, start: number, value: number): number {
  let at = start;
  const size = Math.abs(value);
  if (size === 0) {
    out[at++] = DIGIT_0;
    return at;
  }
  if (!(size >= 1e-6 && size < 1)) return at + out.write(otherNumber(value), at, "latin1");
  if (value < 0) out[at++] = MINUS;
  out[at++] = DIGIT_0;
  out[at++] = POINT;
  return writeFraction(out, at, size);
}

/** Writes the decimals of a number from 1e-6 to 1. Nine significant digits distinguish all single-precision values. */
function writeFraction(out: Buffer, start: number, size: number): number {
  let places = 6;
  for (let scaled = size * 10; scaled < 1; scaled *= 10) places++;
  const most = places + 3;
  let whole = Math.round(size * POWERS_OF_TEN[places]!);
  while (places < most && Math.fround(whole / POWERS_OF_TEN[places]!) !== size) {
    places++;
    whole = Math.round(size * POWERS_OF_TEN[places]!);
  }
  while (whole % 10 === 0) {
    whole = (whole / 10) | 0;
    places--;
  }
  for (let i = start + places - 1; i >= start; i--) {
    const rest = (whole / 10) | 0;
    out[i] = DIGIT_0 + whole - rest * 10;
    whole = rest;
  }
  return start + places;
}

/** Formats a number of any other size. Like `JSON.stringify`, it writes non-finite numbers as null. */
function otherNumber(value: number): string {
  if (!Number.isFinite(value)) return "null";
  for (let digits = 6; digits < 9; digits++) {
    const shorter = Number(value.toPrecision(digits));
    if (Math.fround(shorter) === value) return String(shorter);
  }
  return String(Number(value.toPrecision(9)));
}
