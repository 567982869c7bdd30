import { timingSafeEqual } from "node:crypto";
import { base62, digestApiKey, type RandomSource } from "../account/api-key.js";
import { CONSOLE_DEFAULTS } from "./defaults.js";

/**
 * Who may use the console. The token is printed where the server was started; a page exchanges it for a cookie that no script can read.
 * Token and sessions end with the server. Only SHA-256 digests are kept, and compared in constant time.
 */
export class Sessions {
  /** The token of this server. */
  readonly token: string;
  private readonly tokenDigest: Buffer;
  private readonly digests: Buffer[] = [];

  constructor(private readonly random: RandomSource) {
    this.token = base62(CONSOLE_DEFAULTS.secretLength, random);
    this.tokenDigest = digestApiKey(this.token);
  }

  /** Opens a session and returns its secret; undefined if the token is wrong. */
  open(token: string): string | undefined {
    if (!timingSafeEqual(digestApiKey(token), this.tokenDigest)) return undefined;
    const secret = base62(CONSOLE_DEFAULTS.secretLength, this.random);
    this.digests.push(digestApiKey(secret));
    if (this.digests.length > CONSOLE_DEFAULTS.sessions) this.digests.shift();
    return secret;
  }

  /** Whether a secret is that of an open session. */
  has(secret: string | undefined): boolean {
    if (secret === undefined) return false;
    const digest = digestApiKey(secret);
    let found = false;
    for (const each of this.digests) if (timingSafeEqual(each, digest)) found = true;
    return found;
  }

  /** Ends a session. */
  close(secret: string): void {
    const digest = digestApiKey(secret);
    const at = this.digests.findIndex((each) => timingSafeEqual(each, digest));
    if (at >= 0) this.digests.splice(at, 1);
  }
}

/** Name of the cookie: browsers send cookies to every port of a host, so the port is in it. */
export function cookieName(url: URL): string {
  return `mirrorlake_console_${url.port === "" ? "80" : url.port}`;
}

/** The value of a cookie of a request; undefined without. */
export function cookieOf(request: Request, name: string): string | undefined {
  const pairs = (request.headers.get("cookie") ?? "").split(";").map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}
