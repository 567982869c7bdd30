/** Texts of public repositories for `npm run real-lake -- --texts DIR`. `npm run task public-texts -- --help`. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { createWriteStream, existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, extname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { parseArgs, promisify } from "node:util";
import { KINDS, textsOfFile } from "./texts-of-file.js";

const HELP = `usage: npm run task public-texts -- --from DIR --out NEW [--records N]

Writes texts that people wrote, each once, out of the tables, JSON, lines, treebanks and XML of public repositories: a file
<platform>.jsonl for each kind of source, as \`npm run real-lake -- --texts\` reads them. Languages are left to be detected.
Texts are drawn evenly: the same number at most from each folder of each repository, so that no source rules.

  --from DIR    a folder of git repositories, bare or checked out
  --out NEW     where the files go
  --records N   how many texts at most (default 300000)`;

const { values } = parseArgs({
  options: {
    from: { type: "string" },
    out: { type: "string" },
    records: { type: "string", default: "300000" },
    help: { type: "boolean", default: false },
  },
});

/** Sizes of files that are read, in bytes. */
const SMALLEST = 20_000;
const LARGEST = 40_000_000;
/** Texts of a folder that are remembered. */
const REMEMBERED = 60_000;
const GIT_OUTPUT = 1 << 30;
const SKIPPED =
  /(^|\/)(node_modules|\.git|vendor|language-models)\/|package(-lock)?\.json$|licen[cs]e|requirements/i;

/** Repositories of words and their counts, which are no texts. */
const WORD_LISTS = /frequency|wordfreq/i;

/** The platform of a source, by its name; the first that fits. */
const PLATFORMS_BY_NAME = /** @type {const} */ ([
  ["microblog", /tweet|twitter|weibo|bluesky|hate-?speech|sentix|sentiment/i],
  ["messenger-channels", /discord|slack|messag|chat/i],
  ["forum", /question|forum|comment|qa\b|quad/i],
  ["short-video", /tiktok|insta|social/i],
  ["global-marketplace", /commerce|shop|etsy|product|handbag|food|book|steam/i],
  ["travel-marketplace", /hotel|hard|booking|wongnai/i],
  ["film-reviews", /movie|film|nsmc/i],
  ["global-news", /news|abstract/i],
  ["scripture", /bible|udhr/i],
  ["speech-prompts", /common-voice/i],
  ["treebanks", /dependencies/i],
]);

const run = promisify(execFile);

/** @param {string} dir */
function gitDirOf(dir) {
  return [dir, join(dir, ".git"), join(dir, "repo")].find((path) => existsSync(join(path, "objects")));
}

/** @param {string} gitDir @returns {Promise<{ hash: string, path: string, kind: (typeof KINDS)[number] }[]>} */
async function filesOf(gitDir) {
  const { stdout } = await run("git", ["--git-dir", gitDir, "ls-tree", "-r", "-l", "-z", "HEAD"], {
    maxBuffer: GIT_OUTPUT,
  });
  return stdout.split("\0").flatMap((line) => {
    const [about, path] = line.split("\t");
    if (about === undefined || path === undefined) return [];
    const [, type, hash, size] = about.split(/ +/);
    const kind = KINDS.find((name) => `.${name}` === extname(path).toLowerCase());
    if (type !== "blob" || hash === undefined || kind === undefined || SKIPPED.test(path)) return [];
    return Number(size) >= SMALLEST && Number(size) <= LARGEST ? [{ hash, path, kind }] : [];
  });
}

/**
 * Texts of one folder: those with the least digests, so that what is drawn does not depend on the order of files.
 * @typedef {{ source: string, platform: string, texts: { digest: string, text: string }[] }} Group
 */

/** @param {Group} group @param {number} most */
function cut(group, most) {
  group.texts.sort((a, b) => (a.digest < b.digest ? -1 : 1));
  group.texts.length = Math.min(group.texts.length, most);
}

/**
 * The largest number of texts of a group with which all groups together have at most `wanted`.
 * @param {readonly Group[]} groups
 * @param {number} wanted
 */
function evenShare(groups, wanted) {
  let low = 0;
  let high = REMEMBERED;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const sum = groups.reduce((total, { texts }) => total + Math.min(texts.length, middle), 0);
    if (sum <= wanted) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** @param {string} from @param {string} scratch */
async function collect(from, scratch) {
  /** @type {Map<string, Group>} */
  const groups = new Map();
  const seen = new Set();
  for (const name of (await readdir(from)).sort()) {
    const gitDir = gitDirOf(join(from, name));
    if (gitDir === undefined || WORD_LISTS.test(name)) continue;
    let count = 0;
    for (const { hash, path, kind } of await filesOf(gitDir)) {
      const file = join(scratch, `file.${kind}`);
      try {
        const { stdout } = await run("git", ["--git-dir", gitDir, "cat-file", "blob", hash], {
          encoding: "buffer",
          maxBuffer: GIT_OUTPUT,
        });
        await writeFile(file, stdout);
        const key = `${name}/${dirname(path)}`;
        const platform = PLATFORMS_BY_NAME.find(([, pattern]) => pattern.test(name))?.[0] ?? "articles";
        const group = groups.get(key) ?? { source: name.replace("+", "/"), platform, texts: [] };
        groups.set(key, group);
        for (const text of await textsOfFile(kind, file, () => stdout.toString("utf8"))) {
          const digest = createHash("sha1").update(text).digest("hex").slice(0, 20);
          if (seen.has(digest)) continue;
          seen.add(digest);
          group.texts.push({ digest, text });
          count += 1;
        }
        if (group.texts.length > 2 * REMEMBERED) cut(group, REMEMBERED);
      } catch (error) {
        console.error(`${name}/${path}: ${String(error).split("\n")[0]?.slice(0, 160)}`);
      }
    }
    if (count > 0) console.error(`${name}: ${count} texts`);
  }
  for (const group of groups.values()) cut(group, REMEMBERED);
  return [...groups.values()];
}

/** @param {readonly Group[]} groups @param {number} share */
function* linesOf(groups, share) {
  for (const { source, texts } of groups)
    for (const { digest, text } of texts.slice(0, share))
      yield `${JSON.stringify({ id: digest, text, source })}\n`;
}

/** @param {string} from @param {string} out @param {number} wanted */
async function main(from, out, wanted) {
  await mkdir(out);
  const scratch = await mkdtemp(join(tmpdir(), "mirrorlake-texts-"));
  try {
    const groups = await collect(from, scratch);
    const share = evenShare(groups, wanted);
    for (const platform of new Set(groups.map((group) => group.platform))) {
      const own = groups.filter((group) => group.platform === platform);
      await pipeline(Readable.from(linesOf(own, share)), createWriteStream(join(out, `${platform}.jsonl`)));
      const count = own.reduce((total, { texts }) => total + Math.min(texts.length, share), 0);
      console.log(`${platform}: ${count} texts`);
    }
    console.log(`${share} of a folder at most`);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

const wanted = Number(values.records);
if (values.help) console.log(HELP);
else if (values.from === undefined || values.out === undefined || !Number.isInteger(wanted) || wanted < 1) {
  console.error(HELP);
  process.exitCode = 2;
} else await main(values.from, values.out, wanted);
