import { randomBytes } from "node:crypto";
import { TextDecoder } from "node:util";
import { StaticFiles } from "../files/static-files.js";
import { CONSOLE_PATHS } from "./defaults.js";

/** Stands for the nonce of a page in the built `index.html`. */
export const NONCE_MARK = "MIRRORLAKE_NONCE";
/** Stands for the way from a page to the root of the server. */
export const ROOT_MARK = "MIRRORLAKE_ROOT";

const TYPES: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
};

/** Headers of every answer of the console. */
export const SAFE_HEADERS: Readonly<Record<string, string>> = {
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "X-DNS-Prefetch-Control": "off",
};

/**
 * Content security policy of a page: its own files, nothing of anybody else, no script that is made of text. Styles with the nonce are
 * those of the editor of SQL.
 */
export function consolePolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
}

/** The built browser app: its page and its files. */
export class Shell {
  private readonly files: StaticFiles;

  /** @param folder Address of the folder that the build made. */
  constructor(folder: URL) {
    this.files = new StaticFiles(folder);
  }

  /** The page; the same for every address below `/console/`, but for the way to the root. 404 if the server runs unbuilt. */
  async document(path: string): Promise<Response> {
    const built = await this.files.get("index.html", undefined);
    if (built === undefined) return notBuilt();
    const nonce = randomBytes(16).toString("base64");
    const text = new TextDecoder().decode(built.bytes);
    const page = text.replaceAll(NONCE_MARK, nonce).replaceAll(ROOT_MARK, wayToRoot(path));
    return new Response(page, {
      headers: {
        ...SAFE_HEADERS,
        "Content-Type": "text/html; charset=utf-8",
        "Content-Security-Policy": consolePolicy(nonce),
        "Cache-Control": "no-store",
      },
    });
  }

  /**
   * A file of the app by its path. Names carry a hash of the content, so browsers keep them.
   * @param accepted the header `Accept-Encoding` of the request
   */
  async asset(path: string, accepted: string | null): Promise<Response> {
    const name = path.slice(CONSOLE_PATHS.assets.length);
    const type = TYPES[/^[\w-]+(?:\.[\w-]+)*\.([a-z]+)$/.exec(name)?.[1] ?? ""];
    const file = type === undefined ? undefined : await this.files.get(`assets/${name}`, accepted);
    if (type === undefined || file === undefined)
      return Response.json({ detail: "Not Found" }, { status: 404 });
    return new Response(file.bytes, {
      headers: {
        ...SAFE_HEADERS,
        ...file.headers,
        "Content-Type": type,
        "Cache-Control": "max-age=31536000, immutable",
      },
    });
  }
}

/** The root of the server, seen from a path, so that a proxy may have the server under a path of its own. */
function wayToRoot(path: string): string {
  return "../".repeat(path.split("/").length - 2) || "./";
}

function notBuilt(): Response {
  return Response.json({ detail: "The console is not part of this build" }, { status: 404 });
}
