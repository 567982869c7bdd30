import { readFile } from "node:fs/promises";
import { z } from "zod";
import { checkArgument } from "../../contract/check-options.js";
import { UsageError } from "../../contract/errors.js";
import { RemovalTarget } from "../../contract/lake/removal.js";
import { PathOption } from "../../contract/option-schemas.js";
import { firstRule } from "../../contract/rule-text.js";

const REMEDY =
  "one a line: a record id, raw:<platform>/<resource>/<id>, author:<id>, author:<platform>/<id>, hash:0x…, or JSON";

/**
 * Parses a takedown list: one target per line, without blank lines and `#` comments. A line is a record id,
 * `raw:<platform>/<resource>/<id>`, `author:<id>` or `author:<platform>/<id>`, `hash:0x…` (or the hash alone), or a target as a
 * JSON object, which allows ids with any characters.
 * @param source name of the list, for errors
 * @throws UsageError `invalid_takedown` with the line
 */
export function parseTakedownList(text: string, source: string): RemovalTarget[] {
  checkArgument(z.string(), text, "text", "parseTakedownList");
  checkArgument(z.string(), source, "source", "parseTakedownList");
  const targets: RemovalTarget[] = [];
  text
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .forEach((raw, i) => {
      const line = raw.trim();
      if (line === "" || line.startsWith("#")) return;
      const parsed = RemovalTarget.safeParse(targetOf(line));
      if (!parsed.success) {
        throw new UsageError(
          "invalid_takedown",
          `${source}, line ${i + 1}: ${firstRule(parsed.error, "it")}`,
          {
            value: line,
            remedy: REMEDY,
          },
        );
      }
      targets.push(parsed.data);
    });
  return targets;
}

/** Reads a takedown list. @throws UsageError `unreadable_file`, `invalid_takedown` */
export async function readTakedownList(path: string): Promise<RemovalTarget[]> {
  checkArgument(PathOption, path, "path", "readTakedownList");
  const text = await readFile(path, "utf8").catch((cause: Error) => {
    throw new UsageError("unreadable_file", `Cannot read ${path}: ${cause.message}`, {
      value: path,
      remedy: "name a text file with a target a line; the command takes a target itself with --id",
      cause,
    });
  });
  return parseTakedownList(text, path);
}

function targetOf(line: string): unknown {
  if (line.startsWith("{")) {
    try {
      return JSON.parse(line);
    } catch {
      return undefined;
    }
  }
  const [, kind, rest = ""] = /^(raw|author|hash|record):(.*)$/s.exec(line) ?? [];
  if (kind === "raw") {
    const [platform, resource, ...id] = rest.split("/");
    return { kind, platform, resource, id: id.join("/") };
  }
  if (kind === "author") {
    const slash = rest.indexOf("/");
    if (slash < 0) return { kind, id: rest };
    return { kind, platform: rest.slice(0, slash), id: rest.slice(slash + 1) };
  }
  if (kind === "hash" || line.startsWith("0x")) return { kind: "hash", hash: kind === "hash" ? rest : line };
  return { kind: "record", id: kind === "record" ? rest : line };
}
