import { execFile, execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, connect as connectTo, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { connect } from "../../src/client/connect.js";
import { proxyOf } from "../../src/network/proxy.js";
import { createSender } from "../../src/network/sender.js";
import { pullSlices } from "../../src/transfer/pull/pull-slices.js";
import { systemEnvironment } from "../../src/transfer/source/environment.js";
import { FaultServer } from "../transfer/fault-server.js";
import { type SmallSet, smallSet } from "../transfer/small-set.js";

const of = (url: string, variables: Record<string, string>) => proxyOf(new URL(url), variables)?.address.href;

describe("which proxy", () => {
  const both = { HTTP_PROXY: "http://a:1", HTTPS_PROXY: "b.example:2" };
  test("is that of the protocol, small letters first, with its credentials apart", () => {
    expect(of("http://x.example/", both)).toBe("http://a:1/");
    expect(of("https://x.example/", both)).toBe("http://b.example:2/");
    expect(of("https://x.example/", { ...both, https_proxy: "http://c:3" })).toBe("http://c:3/");
    expect(of("https://x.example/", { HTTP_PROXY: "http://a:1", HTTPS_PROXY: "" })).toBeUndefined();
    expect(of("http://x.example/", { ...both, REQUEST_METHOD: "GET" })).toBeUndefined();
    const proxy = proxyOf(new URL("http://x.example/"), { http_proxy: "http://me:p%40ss@a:1" });
    expect(proxy?.address.href).toBe("http://a:1/");
    expect(proxy?.authorization).toBe(`Basic ${Buffer.from("me:p@ss").toString("base64")}`);
  });

  test.each([
    ["http://localhost:8080/", ""],
    ["http://127.0.0.1:8080/", ""],
    ["http://[::1]:8080/", ""],
    ["http://x.example/", "*"],
    ["http://x.example/", "other.org, x.example"],
    ["http://deep.x.example/", ".x.example"],
    ["http://deep.x.example/", "X.example"],
    ["http://x.example:81/", "x.example:81"],
    ["http://10.1.2.3/", "x.example,10.0.0.0/8"],
    ["http://10.1.2.3:8080/", "10.1.2.3/32:8080"],
    ["http://192.168.1.5/", "0.0.0.0/0"],
    ["http://[fd00:1::9]/", "FD00::/8"],
    ["http://[fd00:1::9]:81/", "[fd00::/8]:81"],
    ["http://[fd00:1::9]/", "fd00:1:0::9"],
    ["http://[fd00:1::9]:81/", "[fd00:1::9]:81"],
  ])("is none for %s with NO_PROXY=%s", (url, no) => {
    expect(of(url, { ...both, NO_PROXY: no })).toBeUndefined();
  });

  test("stays where NO_PROXY names another host, or another port", () => {
    for (const no of ["example.org", "xx.example", "x.example:443", "0.0.0.0/0", "example/8"])
      expect(of("http://x.example/", { ...both, NO_PROXY: no })).toBe("http://a:1/");
    const ranges = [
      "10.0.0.0/8",
      "11.1.2.3/32:443",
      "11.0.0.0/33",
      "11.0.0.0/",
      "11.0/8",
      "::/0",
      "[::/0]:81",
    ];
    for (const no of ranges) expect(of("http://11.1.2.3/", { ...both, NO_PROXY: no })).toBe("http://a:1/");
    for (const no of ["fe00::/8", "[fd00:1::9]:81", "fd00:1::8", "0.0.0.0/0", "fd00::/129", "fd00:1::9%1"])
      expect(of("http://[fd00:1::9]/", { ...both, NO_PROXY: no })).toBe("http://a:1/");
  });

  test.each(["socks5://a:1", "https://a:1", "not a host"])("is none that HTTP_PROXY=%s names", (value) => {
    expect(() => of("http://x.example/", { HTTP_PROXY: value })).toThrow(/HTTP_PROXY is not the address/);
  });
});

/** A proxy on loopback that takes every name for a server of this test. */
class TestProxy {
  readonly asked: string[] = [];
  readonly credentials: (string | undefined)[] = [];
  /** Status of its own answers, if it passes nothing on. */
  refuses: number | undefined;
  private readonly sockets = new Set<Socket>();
  private readonly server: Server = createServer((request, response) => this.pass(request, response));

  constructor(private readonly port: () => number) {
    this.server.on("connection", (socket) => this.sockets.add(socket));
    this.server.on("connect", (request, socket) => {
      this.saw(request, `CONNECT ${request.url}`);
      if (this.refuses !== undefined) {
        socket.end(`HTTP/1.1 ${this.refuses} No\r\n\r\n`);
        return;
      }
      const there = connectTo(this.port(), "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 Connected\r\n\r\n");
        there.pipe(socket).pipe(there);
      });
      this.sockets.add(there);
      for (const each of [there, socket]) each.on("error", () => undefined);
    });
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(0, "127.0.0.1", resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private saw({ headers }: IncomingMessage, line: string): void {
    this.asked.push(line);
    this.credentials.push(headers["proxy-authorization"]);
  }

  private pass(request: IncomingMessage, response: ServerResponse): void {
    this.saw(request, `${request.method} ${request.url}`);
    if (this.refuses !== undefined) {
      response.writeHead(this.refuses).end();
      return;
    }
    const { pathname, search } = new URL(request.url!);
    const headers = Object.fromEntries(
      Object.entries(request.headersDistinct).map(([name, values]) => [name, values!.join(", ")]),
    );
    fetch(`http://127.0.0.1:${this.port()}${pathname}${search}`, { method: request.method!, headers }).then(
      async (answer) => {
        response.writeHead(answer.status, Object.fromEntries(answer.headers));
        response.end(Buffer.from(await answer.arrayBuffer()));
      },
      () => response.destroy(),
    );
  }
}

describe("through a proxy", () => {
  let dir: string;
  let set: SmallSet;
  let files: FaultServer;
  let port: number;
  let proxy: TestProxy;
  beforeAll(async () => {
    set = await smallSet(0, 20);
    dir = await mkdtemp(join(tmpdir(), "mirrorlake-proxy-"));
  });
  afterAll(async () => {
    await set?.remove();
    await rm(dir, { recursive: true, force: true });
  });
  beforeEach(async () => {
    files = await FaultServer.start(set.out);
    port = Number(new URL(files.url).port);
    proxy = new TestProxy(() => port);
    await proxy.start();
  });
  afterEach(async () => {
    await proxy.close();
    await files.close();
  });

  test("a pull asks it for whole addresses, and it gets its credentials", async () => {
    const address = proxy.url.replace("//", "//me:secret@");
    const environment = { ...systemEnvironment, fetch: createSender({ http_proxy: address }) };
    const lake = join(dir, "lake");
    const { install } = await pullSlices("http://data.example/", { lake, environment });
    expect(install?.slices).toHaveLength(set.manifests.length);
    expect(proxy.asked).toContain("GET http://data.example/index.json");
    expect(new Set(proxy.credentials)).toEqual(
      new Set([`Basic ${Buffer.from("me:secret").toString("base64")}`]),
    );
  });

  test("a pull says which proxy it did not get through", async () => {
    const variables = { https_proxy: "http://me:secret@127.0.0.1:1" };
    const environment = {
      ...systemEnvironment,
      sleep: async () => undefined,
      fetch: createSender(variables),
    };
    const pull = pullSlices("https://data.example/", { lake: join(dir, "none"), environment });
    const error = await pull.catch((thrown: unknown) => thrown as Error);
    expect(error).toMatchObject({
      code: "source_unreachable",
      message: expect.stringMatching(/through the proxy http:\/\/127\.0\.0\.1:1: .*ECONNREFUSED/),
      remedy: expect.stringContaining("the proxy if one is named"),
    });
    expect(JSON.stringify([(error as Error).message, error])).not.toContain("secret");
  });

  test.each([407, 502])("a tunnel that is refused with %d is an error that says so", async (status) => {
    proxy.refuses = status;
    const send = createSender({ HTTPS_PROXY: proxy.url });
    await expect(send("https://data.example/x", {})).rejects.toMatchObject({
      message: "fetch failed",
      cause: {
        message: `through the proxy ${proxy.url}: it answered ${status} when it was asked for a connection`,
      },
    });
    expect(proxy.asked).toEqual(["CONNECT data.example:443"]);
  });

  test("a proxy whose address is none is an error that names the variable, not the address", async () => {
    const send = createSender({ HTTPS_PROXY: "socks5://me:secret@127.0.0.1:1" });
    const error = await send("https://data.example/x", {}).catch((thrown: unknown) => thrown as Error);
    expect(error).toMatchObject({
      cause: { message: "HTTPS_PROXY is not the address of a proxy, http://host:port" },
    });
  });

  test("a client asks through it too", async () => {
    const send = createSender({ HTTP_PROXY: proxy.url });
    const client = connect({
      baseUrl: "http://api.example",
      apiKey: "ml_key",
      fetch: (url, init) => send(String(url), init ?? {}),
      retry: { retries: 0 },
    });
    proxy.refuses = 403;
    await expect(client.search({ query: "x" })).rejects.toThrow();
    expect(proxy.asked[0]).toMatch(/^POST http:\/\/api\.example\/v1\/|^GET http:\/\/api\.example\/v1\//);
    await client.close();
  });

  test("an address with encryption goes by a tunnel that is kept, and proves itself", async () => {
    const [key, cert] = [join(dir, "key.pem"), join(dir, "cert.pem")];
    const subject = ["-subj", "/CN=data.example", "-addext", "subjectAltName=DNS:data.example"];
    const made = [
      "req",
      "-x509",
      "-newkey",
      "rsa:2048",
      "-nodes",
      "-days",
      "2",
      "-keyout",
      key,
      "-out",
      cert,
    ];
    execFileSync("openssl", [...made, ...subject], { stdio: "ignore" });
    const seen: (string | undefined)[] = [];
    const server = createTlsServer(
      { key: await readFile(key), cert: await readFile(cert) },
      (request, response) => {
        seen.push(request.headers["proxy-authorization"]);
        response.end(`asked for ${request.url}`);
      },
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    port = (server.address() as AddressInfo).port;
    try {
      const send = createSender({ HTTPS_PROXY: proxy.url.replace("//", "//me:secret@") });
      // Nobody vouches for the certificate: the tunnel changes nothing about that.
      await expect(send("https://data.example/x", {})).rejects.toMatchObject({
        cause: { code: "DEPTH_ZERO_SELF_SIGNED_CERT" },
      });
      // In a process of its own, whose authorities are named when it starts.
      const { stdout } = await promisify(execFile)(
        process.execPath,
        ["--input-type=module", "-e", CHILD, new URL("../../build/network/sender.js", import.meta.url).href],
        { env: { ...process.env, NODE_EXTRA_CA_CERTS: cert, HTTPS_PROXY: proxy.url } },
      );
      expect(stdout).toBe("asked for /1asked for /2");
      // One tunnel for the request that was refused, one for the two others; its credentials went no farther.
      expect(proxy.asked).toEqual(["CONNECT data.example:443", "CONNECT data.example:443"]);
      expect(proxy.credentials).toEqual([expect.stringMatching(/^Basic /), undefined]);
      expect(seen).toEqual([undefined, undefined]);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});

const CHILD = `
const { createSender } = await import(process.argv[1]);
const send = createSender();
for (const path of ["1", "2"]) process.stdout.write(await (await send("https://data.example/" + path, {})).text());
`;
