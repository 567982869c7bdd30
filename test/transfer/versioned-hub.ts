import { createHash } from "node:crypto";
import { MAPPING_FILE } from "../../src/ingest/adapters/mapping-file.js";
import { gitBlob, Host, sendFile, sendJson } from "./hosts.js";

/** Files of a commit by path. */
export type Files = Readonly<Record<string, string>>;

/** The mapping of the lamps: rows of a shop, with the instants of their captures. */
export const LAMPS = {
  mapping: 1,
  name: "lamps",
  info: { title: "Lamps", licence: "CC0-1.0" },
  sources: [{ name: "lamps", files: ["*.csv"] }],
  defaults: { platform: "global-marketplace", captured_at: { path: "seen", time: "iso" } },
  rules: [
    {
      from: "lamps",
      record: {
        id: "sku",
        lang: { value: "en" },
        fields: { title: "name", "price.current": "price", "price.currency": { value: "EUR" } },
      },
    },
  ],
};

/** A CSV file of lamps: number, title, and the month of the capture. */
export function lamps(...rows: readonly (readonly [sku: number, title: string, month?: string])[]): string {
  const lines = rows.map(([sku, title, month = "05"]) => `${sku},${title},3.49,2026-${month}-27T08:00:00Z\n`);
  return `sku,name,price,seen\n${lines.join("")}`;
}

/** A dataset `lab/lamps` on a Hugging Face hub, of which commits are made. */
export class VersionedHub {
  private readonly commits = new Map<string, Files>();
  private newest = "";
  private constructor(private readonly host: Host) {}

  static async start(): Promise<VersionedHub> {
    const host: Host = await Host.start((path, request, response) => {
      const [, revision] = /^\/api\/datasets\/lab\/lamps\/revision\/(\w+)$/.exec(path) ?? [];
      if (revision !== undefined)
        return sendJson(response, { sha: revision === "main" ? hub.newest : revision });
      const [, tree] = /^\/api\/datasets\/lab\/lamps\/tree\/(\w+)\?/.exec(path) ?? [];
      const [, commit = tree, name] = /^\/datasets\/lab\/lamps\/resolve\/(\w+)\/(.*)$/.exec(path) ?? [];
      const files = hub.commits.get(commit ?? "");
      if (files === undefined) return void response.writeHead(404).end();
      if (name !== undefined) return sendFile(request, response, Buffer.from(files[name]!));
      const entries = Object.entries(files).map(([path, text]) => {
        const bytes = Buffer.from(text);
        return { type: "file", oid: gitBlob(bytes), size: bytes.length, path };
      });
      sendJson(response, entries);
    });
    const hub = new VersionedHub(host);
    return hub;
  }

  /** Makes a commit the newest one. Returns its name. */
  commit(files: Files): string {
    const all = { [MAPPING_FILE]: JSON.stringify(LAMPS), ...files };
    this.newest = createHash("sha1").update(JSON.stringify(all)).digest("hex");
    this.commits.set(this.newest, all);
    return this.newest;
  }

  address(revision = "main"): string {
    return `${this.host.origin}/datasets/lab/lamps/tree/${revision}`;
  }

  /** How many files of the data were asked for. */
  get fetched(): number {
    return this.host.seen.filter(({ path }) => path.endsWith(".csv")).length;
  }

  stop(): Promise<void> {
    return this.host.stop();
  }
}
