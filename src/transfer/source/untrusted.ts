import { PullError } from "../../contract/errors.js";

const ISSUER =
  "if you know that server, or a proxy that reads along, have its issuer's certificate trusted: NODE_EXTRA_CA_CERTS=issuer.pem in the environment; else check the address";

/** What to do about a failed check of a certificate, by its code in Node.js and OpenSSL. */
const REMEDIES: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED:
    "inform its operator, who has to renew the certificate; or set this machine's clock, if it is wrong",
  CERT_NOT_YET_VALID: "set this machine's clock, if it is behind; else inform the server's operator",
  ERR_TLS_CERT_ALTNAME_INVALID: "give the address by a name that the certificate is for",
  CERT_REVOKED: "do not trust the source; inform its operator",
};

const NO_TLS = /wrong[ _]version[ _]number|packet[ _]length[ _]too[ _]long/i;

/** Whether a connection failed because its other end does not speak TLS. */
export function speaksNoTls(cause: unknown): boolean {
  const { code, message = "" } = cause as { readonly code?: unknown; readonly message?: string };
  return NO_TLS.test(`${String(code ?? "")} ${message}`);
}

/**
 * The error of a connection whose other end did not prove who it is: trying again would not help. Undefined for another failure.
 * @param where address that was asked, fit to be shown
 * @param cause what ended the connection, with the code of Node.js
 */
export function untrusted(
  where: string,
  cause: { readonly code?: unknown; readonly message?: string },
): PullError | undefined {
  const { message = "" } = cause;
  const code = String(cause.code ?? "");
  const error = (reason: string, remedy: string) =>
    new PullError("source_untrusted", `${where} cannot prove who it is: ${reason}`, {
      value: cause.code,
      remedy,
      cause,
    });
  if (speaksNoTls(cause)) {
    return error(
      "it does not speak TLS",
      "check the port; or give the address with http:// if you trust the network",
    );
  }
  if (!/CERT|TLS|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code)) return undefined;
  return error(message, REMEDIES[code] ?? ISSUER);
}
