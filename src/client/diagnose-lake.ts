import { access, readdir, statfs } from "node:fs/promises";
import { checkAccount } from "../account/repair-account.js";
import { counted, formatBytes } from "../contract/quantity.js";
import { readCurrent } from "../lake/current.js";
import { LAKE_DEFAULTS } from "../lake/defaults.js";
import { Lake } from "../lake/lake.js";
import { lakePaths } from "../lake/lake-paths.js";
import { bytesOf, findUnused } from "../lake/maintain/remove-unused.js";
import { generationNumbers } from "../lake/open/leases.js";
import { readSettings } from "../lake/settings.js";
import { problemOf, rebuildCommand } from "../lake/verify/problem.js";
import { GRAPH_REMEDY, loadGraphLibrary } from "../search/vector/graph/hnsw.js";
import { readSliceManifests } from "../store/generation-manifest.js";

/** Codes of what is wrong with files that are derived from slices. */
const DERIVED = /^(generation|index|keyword_index|vectors|certificate)|^embedder_(unreadable|invalid)$/;

/** Something that a diagnosis has to say. */
export interface Finding {
  /** `error`: the lake, or part of it, does not work; `warning`: it will not for long; `note`: it could do better. */
  readonly level: "error" | "warning" | "note";
  readonly code: string;
  readonly message: string;
  /** The command that repairs it, or what to do where no command can. */
  readonly remedy: string;
}

/** What {@link diagnoseLake} found. */
export interface Diagnosis {
  /** Whether there is no error. */
  readonly ok: boolean;
  readonly findings: readonly Finding[];
}

/**
 * Says in seconds what is wrong with a lake and what repairs it: settings, removals, the published generation, slices that are
 * missing, leftovers, the account's ledger, the graph library, disk space. It reads no record; `verifyLake` does. Nothing is
 * changed.
 */
export async function diagnoseLake(lake: string): Promise<Diagnosis> {
  const findings: Finding[] = [];
  const note = (level: Finding["level"], code: string, message: string, remedy: string) =>
    findings.push({ level, code, message, remedy });
  const fails = async (known: string | undefined, work: () => Promise<unknown>): Promise<boolean> => {
    try {
      await work();
      return false;
    } catch (error) {
      const { code, message, remedy } = problemOf(error, known ?? "report it");
      note("error", code, message, known ?? remedy);
      return true;
    }
  };
  if (await fails(undefined, () => readSettings(lake))) return diagnosis(findings);
  await diagnoseGeneration(lake, note, fails);
  await diagnoseLeftovers(lake, note);
  await fails(`mirrorlake account repair --lake ${lake}`, async () => {
    const problem = await checkAccount(lake);
    if (problem !== undefined) throw problem;
  });
  const graphs = await loadGraphLibrary();
  if (!graphs.available)
    note(
      "note",
      "hnswlib_missing",
      `No HNSW graphs can be built or used, vectors are scanned: ${graphs.reason}`,
      GRAPH_REMEDY,
    );
  await diagnoseSpace(lake, note);
  return diagnosis(findings);
}

type Note = (level: Finding["level"], code: string, message: string, remedy: string) => void;
type Fails = (known: string | undefined, work: () => Promise<unknown>) => Promise<boolean>;

function diagnosis(findings: readonly Finding[]): Diagnosis {
  return { ok: findings.every(({ level }) => level !== "error"), findings };
}

async function diagnoseGeneration(lake: string, note: Note, fails: Fails): Promise<void> {
  const paths = lakePaths(lake);
  const rebuild = rebuildCommand(lake);
  let current: number | undefined;
  if (
    await fails(rebuild, async () => {
      current = await readCurrent(lake);
    })
  )
    return;
  if (current === undefined) {
    const slices = (await namesIn(paths.slices)).filter((name) => /^[0-9a-f]{64}$/.test(name));
    if ((await generationNumbers(lake)).length > 0) {
      note("error", "lake_current_missing", `${paths.current} is missing`, `mirrorlake gc --lake ${lake}`);
    } else if (slices.length > 0) {
      const message = `There is no generation of the ${counted(slices.length, "slice")} that the lake has`;
      note("error", "generation_missing", message, `mirrorlake install ${paths.slices} --lake ${lake}`);
    } else {
      note("note", "lake_empty", "Nothing has been installed", `mirrorlake install <slices…> --lake ${lake}`);
    }
    return;
  }
  const dir = paths.generation(current);
  const manifests = await readSliceManifests(dir).catch(() => []);
  for (const { name, mirrorlake } of manifests) {
    const there = await access(paths.slice(mirrorlake.root)).then(
      () => true,
      () => false,
    );
    if (there) continue;
    const message = `Slice ${mirrorlake.root} (${name}) is not in the lake any more: it cannot be rebuilt`;
    note("error", "slice_missing", message, `mirrorlake pull <where it came from> --lake ${lake}`);
  }
  let open: Lake | undefined;
  try {
    open = await Lake.open(lake);
    const withheld = open.withheld.size;
    if (withheld > 0) {
      const message = `Withheld, because they hold something that was removed: ${counted(withheld, "slice")}`;
      note("note", "slices_withheld", message, `mirrorlake compact --lake ${lake}`);
    }
  } catch (error) {
    const { code, message, remedy } = problemOf(error, rebuild);
    note("error", code, message, DERIVED.test(code) ? rebuild : remedy);
  } finally {
    await open?.close();
  }
}

async function diagnoseLeftovers(lake: string, note: Note): Promise<void> {
  const current = await readCurrent(lake).catch(() => undefined);
  const dir = current === undefined ? undefined : lakePaths(lake).generation(current);
  const manifests = dir === undefined ? undefined : await readSliceManifests(dir).catch(() => undefined);
  if (manifests === undefined) return;
  const roots = new Set(manifests.map(({ mirrorlake }) => mirrorlake.root));
  const unused = await findUnused(lake, current, roots);
  if (unused.length === 0) return;
  let bytes = 0;
  for (const { path } of unused) bytes += await bytesOf(path).catch(() => 0);
  const kinds = [...new Set(unused.map(({ kind }) => kind))].join(", ");
  note(
    "warning",
    "leftovers",
    `${formatBytes(bytes)} are taken by ${counted(unused.length, "file or folder", "files and folders")} that nothing needs (${kinds})`,
    `mirrorlake gc --lake ${lake}`,
  );
}

async function diagnoseSpace(lake: string, note: Note): Promise<void> {
  const { bavail, bsize } = await statfs(lake);
  const free = bavail * bsize;
  const taken = await bytesOf(lakePaths(lake).generations).catch(() => 0);
  if (free >= taken * LAKE_DEFAULTS.freeSpaceShare) return;
  note(
    "warning",
    "disk_space",
    `${formatBytes(free)} are free; building the lake again takes about ${formatBytes(taken)}`,
    "make room on the disk",
  );
}

async function namesIn(dir: string): Promise<string[]> {
  return readdir(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
}
