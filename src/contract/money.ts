import { UsageError } from "./errors.js";

declare const microUsd: unique symbol;

/** An amount in millionths of a US dollar. Money never touches floating point (decisions.md, "Money and quota"). */
export type MicroUsd = bigint & { readonly [microUsd]: true };

const MICROS_PER_USD = 1_000_000n;
const USD_TEXT = /^(-?)(\d{1,15})(?:\.(\d{1,6}))?$/;

/** Brands a bigint of micro-USD. */
export function micros(amount: bigint): MicroUsd {
  return amount as MicroUsd;
}

/** Zero USD. */
export const ZERO_USD: MicroUsd = micros(0n);

/**
 * Reads a decimal amount of USD ("0.004", "12", "-3.500000") with at most six decimal places, exactly.
 * @throws UsageError `invalid_amount` for anything else; nothing is rounded.
 */
export function parseUsd(text: string): MicroUsd {
  const match = USD_TEXT.exec(text);
  if (match === null) {
    throw new UsageError("invalid_amount", `Not an amount of USD: ${JSON.stringify(text)}`, {
      value: text,
      remedy: 'Give dollars with at most six decimal places, such as "10" or "0.004000".',
    });
  }
  const [, sign, whole = "0", fraction = ""] = match;
  const amount = BigInt(whole) * MICROS_PER_USD + BigInt(fraction.padEnd(6, "0"));
  return micros(sign === "-" ? -amount : amount);
}

/** Writes an amount as USD with exactly six decimal places: "0.004000" (service.md section 2.1). */
export function formatUsd(amount: bigint): string {
  const size = amount < 0n ? -amount : amount;
  const fraction = (size % MICROS_PER_USD).toString().padStart(6, "0");
  return `${amount < 0n ? "-" : ""}${size / MICROS_PER_USD}.${fraction}`;
}
