import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer as createPlainServer, type Server } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { PullError } from "../../src/contract/errors.js";
import { planPull } from "../../src/transfer/pull/plan-pull.js";
import { testEnvironment } from "./fake-set.js";

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-tls-"));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

/** Makes a key and a certificate for a name, signed by itself or by an authority of this test, of some days. */
function certify(name: string, days: number, authority?: string): void {
  const at = (file: string) => join(dir, file);
  const openssl = (...args: readonly string[]) => execFileSync("openssl", args, { stdio: "ignore" });
  const key = [
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:prime256v1",
    "-nodes",
    "-keyout",
    at(`${name}.key`),
    "-subj",
    `/CN=${name}`,
  ];
  if (authority === undefined) {
    openssl("req", "-x509", ...key, "-days", `${days}`, "-out", at(`${name}.crt`));
    return;
  }
  openssl("req", ...key, "-out", at(`${name}.csr`));
  const by = ["-CA", at(`${authority}.crt`), "-CAkey", at(`${authority}.key`), "-CAcreateserial"];
  openssl("x509", "-req", "-in", at(`${name}.csr`), ...by, "-days", `${days}`, "-out", at(`${name}.crt`));
}

/** What a pull from a server fails with, and how often it paused before that. */
async function failure(
  server: Server,
  protocol: string,
): Promise<{ error: PullError; url: string; paused: number }> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `${protocol}://localhost:${(server.address() as AddressInfo).port}/`;
  const environment = testEnvironment();
  try {
    const error = await planPull(url, { lake: join(dir, "lake"), environment }).then(
      () => Promise.reject(new Error("it was trusted")),
      (error: PullError) => error,
    );
    return { error, url, paused: environment.slept.length };
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

/** A server with encryption, whose certificate has a name. */
async function encrypted(name: string): Promise<Server> {
  const [key, cert] = await Promise.all(["key", "crt"].map((end) => readFile(join(dir, `${name}.${end}`))));
  return createServer({ key, cert }, (_request, response) => response.end("{}"));
}

const failureOf = async (name: string) => failure(await encrypted(name), "https");

describe("a server that cannot prove who it is is named, with what is wrong and how to go on", () => {
  test("by a certificate of an unknown issuer, or of its own", async () => {
    certify("localhost", 2);
    const { error, url } = await failureOf("localhost");
    expect(error).toMatchObject({ code: "source_untrusted", value: "DEPTH_ZERO_SELF_SIGNED_CERT" });
    // Newer versions of Node.js add a hint.
    expect(error.message).toMatch(`${url}index.json cannot prove who it is: self-signed certificate`);
    expect(error.remedy).toContain("NODE_EXTRA_CA_CERTS=");
    certify("issuer", 2);
    certify("issued", 2, "issuer");
    expect((await failureOf("issued")).error).toMatchObject({
      code: "source_untrusted",
      value: "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
      remedy: error.remedy,
    });
  });

  test("by one that has expired", async () => {
    certify("authority", 2);
    certify("old", -1, "authority");
    expect((await failureOf("old")).error).toMatchObject({
      code: "source_untrusted",
      value: "CERT_HAS_EXPIRED",
      remedy: expect.stringContaining("clock"),
    });
  });

  test("by one of a trusted issuer for another name", async () => {
    const cause = Object.assign(
      new Error("Host: localhost. is not in the cert's altnames: DNS:other.example"),
      {
        code: "ERR_TLS_CERT_ALTNAME_INVALID",
      },
    );
    const fetch = () => Promise.reject(new TypeError("fetch failed", { cause }));
    const environment = { ...testEnvironment(), fetch };
    await expect(
      planPull("https://localhost/", { lake: join(dir, "lake"), environment }),
    ).rejects.toMatchObject({
      code: "source_untrusted",
      message: expect.stringMatching(/^https:\/\/localhost\/index\.json .*other\.example$/),
      remedy: expect.stringContaining("name"),
    });
  });

  test("where nothing is encrypted, it is not asked again", async () => {
    const plain = createPlainServer((_request, response) => response.end("{}"));
    const { error, url, paused } = await failure(plain, "https");
    expect(error).toMatchObject({
      code: "source_untrusted",
      message: `${url}index.json cannot prove who it is: it does not speak TLS`,
      remedy: expect.stringContaining("http://"),
    });
    expect(paused).toBe(0);
  });

  test("where all is encrypted, and the address says it is not, it is not asked again", async () => {
    certify("plain", 2);
    const { error, url, paused } = await failure(await encrypted("plain"), "http");
    const { origin } = new URL(url);
    expect(error).toMatchObject({
      code: "pull_refused",
      message: `${origin} speaks TLS, and the address says http://`,
      remedy: expect.stringContaining(origin.replace("http", "https")),
    });
    expect(paused).toBe(0);
  });

  test("an answer of 400 may be that of a server with encryption; a plain server's stays what it is", async () => {
    const asked: string[] = [];
    const refusal = async (spoken: string) => {
      const fetch = async (url: string, { headers = {} }: RequestInit) => {
        asked.push(`${url} ${Object.keys(headers).join()}`);
        if (url.startsWith("http:") || spoken === "tls") return new Response(null, { status: 400 });
        throw new TypeError("fetch failed", { cause: new Error("wrong version number") });
      };
      const environment = { ...testEnvironment(), fetch };
      const error = await planPull("http://source.example/a", { lake: dir, key: "ml_1", environment }).catch(
        (error: PullError) => error.message,
      );
      return error;
    };
    expect(await refusal("tls")).toBe("http://source.example speaks TLS, and the address says http://");
    expect(await refusal("plain")).toBe("http://source.example/a/index.json answered 400");
    const [first, second] = asked;
    expect([first, second]).toEqual([
      "http://source.example/a/index.json Accept-Encoding,Authorization",
      "https://source.example/ ",
    ]);
  });
});
