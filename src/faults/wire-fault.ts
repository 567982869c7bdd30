/** A fault of the connection or of the body, which the transport of an answer makes. */
export interface WireFault {
  readonly kind: "drop" | "cut" | "short" | "malformed-json" | "malformed-chunk";
  /** Share of the body that is sent, 0 to 1. */
  readonly share: number;
}

/** A body as a fault leaves it. */
export interface BrokenBody {
  /** Bytes that arrive. */
  readonly bytes: Uint8Array;
  /** Whether the connection breaks after them; otherwise the body seems whole. */
  readonly breaks: boolean;
}

const COMMA = 0x2c;

/** What arrives of a body. */
export function breakBody({ kind, share }: WireFault, body: Uint8Array): BrokenBody {
  if (kind === "drop") return { bytes: body.subarray(0, 0), breaks: true };
  if (kind === "malformed-json") return { bytes: malformed(body), breaks: false };
  // At least the last byte is missing.
  const bytes = body.subarray(0, Math.min(Math.floor(body.length * share), Math.max(0, body.length - 1)));
  return { bytes, breaks: kind !== "short" };
}

/** As long as the body, with a comma where JSON ends. */
function malformed(body: Uint8Array): Uint8Array {
  const bytes = body.slice();
  if (bytes.length > 0) bytes[bytes.length - 1] = COMMA;
  return bytes;
}
