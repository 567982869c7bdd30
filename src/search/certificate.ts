import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { clearInterval, setInterval } from "node:timers";
import { z } from "zod";
import { SearchError } from "../contract/errors.js";
import { parseOnce } from "../contract/parse-once.js";
import { SEARCH_DEFAULTS } from "./defaults.js";
import { type IndexManifest, readIndexManifest } from "./index-manifest.js";
import type { MeasureTask } from "./measure-set.js";
import { AskedQueries } from "./vector/recall/asked-queries.js";
import {
  chooseSteps,
  combineShares,
  graphSuffices,
  isConclusive,
  sameStep,
} from "./vector/recall/combine-shares.js";
import type { ShareRecall } from "./vector/recall/measure-recall.js";
import { SetRecall } from "./vector/recall/set-recall.js";
import { suffices } from "./vector/search-plan.js";
import { readVectorSetManifest } from "./vector/vector-set-manifest.js";
import { runTasks } from "./worker-tasks.js";

/** File of the recall certificate in a search index's folder. */
export const CERTIFICATE_FILE = "certificate.json";

const share = z.number().min(0).max(1);

/**
 * The recall certificate: recall of approximate against exact search by filter selectivity. It is measured when
 * an index is built and says how it is searched when it is opened.
 */
export const Certificate = z.strictObject({
  formatVersion: z.literal(2),
  /** Seed of the sample. */
  seed: z.number().int(),
  /** Lowest recall of all sets at the steps that their searches take; 1 where search is exact. */
  overall: z.array(z.strictObject({ selectivity: share, recall10: share, recall100: share })),
  /** Each vector set of each segment. */
  sets: z.array(SetRecall.extend({ segment: z.string(), set: z.string() })),
});
export type Certificate = Readonly<z.infer<typeof Certificate>>;

/** Options of {@link certify} and {@link verifyCertificate}. */
export interface CertifyOptions {
  /** Worker threads; 0 measures in this thread. Does not change the result. */
  readonly threads?: number;
  /** Called with how often queries were asked so far, of how often they are at most; what needs less ends at the total. */
  readonly onProgress?: (asked: number, total: number) => void;
  readonly signal?: AbortSignal;
}

/**
 * Measures the vector sets of an index and writes its certificate. `known`: a certificate whose sets are
 * unchanged, from the index that this one extends.
 */
export async function certify(
  dir: string,
  manifest: IndexManifest,
  options: CertifyOptions & { readonly known?: Certificate } = {},
): Promise<Certificate> {
  const known = options.known?.sets ?? [];
  const tasks: Measurable[] = [];
  for (const { name, documentCount } of manifest.segments) {
    for (const { name: set } of manifest.vectorSets) {
      if (known.some((entry) => entry.segment === name && entry.set === set)) continue;
      const { width } = await readVectorSetManifest(join(dir, name, set));
      tasks.push({
        dir: join(dir, name, set),
        segment: name,
        set,
        rows: documentCount,
        width,
        byGraph: true,
      });
    }
  }
  // Where a graph finds too little, its set is scanned, and that is measured.
  const found = await measureAll(tasks, options);
  const graphs = await Promise.all(
    tasks.map(async ({ dir: set }) => (await readVectorSetManifest(set)).graph),
  );
  const scanned = tasks.filter((_, i) => graphs[i] === true && !graphSuffices(found[i]!));
  const scans = await measureAll(
    scanned.map((task) => ({ ...task, byGraph: false })),
    options,
  );
  for (const [i, task] of scanned.entries()) found[tasks.indexOf(task)] = scans[i]!;
  const measured = found.map((entry, i) => ({ ...entry, ...chooseSteps(entry, sizeOf(tasks[i]!)) }));
  const sets = manifest.segments.flatMap(({ name: segment }) =>
    manifest.vectorSets.map(
      ({ name: set }) =>
        [...known, ...measured].find((entry) => entry.segment === segment && entry.set === set)!,
    ),
  );
  const certificate: Certificate = {
    formatVersion: 2,
    seed: SEARCH_DEFAULTS.certificate.seed,
    overall: SEARCH_DEFAULTS.certificate.selectivities.map((selectivity) => worst(selectivity, sets)),
    sets,
  };
  await writeFile(join(dir, CERTIFICATE_FILE), `${JSON.stringify(certificate, null, 2)}\n`);
  return certificate;
}

/**
 * Reads and checks the certificate of the index in a folder.
 * @throws SearchError `certificate_unreadable`.
 */
export async function readCertificate(dir: string): Promise<Certificate> {
  try {
    return parseOnce(Certificate, JSON.parse(await readFile(join(dir, CERTIFICATE_FILE), "utf8")));
  } catch (cause) {
    throw new SearchError(
      "certificate_unreadable",
      "the recall certificate of the search index cannot be read",
      {
        value: dir,
        remedy: "rebuild the index with `mirrorlake install <lake>/slices --lake <lake> --rebuild`",
        cause,
      },
    );
  }
}

/** Result of {@link verifyCertificate}. */
export interface CertificateCheck {
  readonly certificate: Certificate;
  /** Sets and selectivities whose recall is now below the certificate. */
  readonly shortfalls: readonly {
    readonly segment: string;
    readonly set: string;
    readonly selectivity: number;
    readonly recall10: { readonly certified: number; readonly measured: number };
    readonly recall100: { readonly certified: number; readonly measured: number };
  }[];
}

/**
 * Measures an index again at the steps in its certificate, and compares. The sample is the same, so an
 * unchanged index has no shortfall. Costs as much as the first measurement, but for steps that no build measures now.
 */
export async function verifyCertificate(
  dir: string,
  options: CertifyOptions = {},
): Promise<CertificateCheck> {
  const manifest = await readIndexManifest(dir);
  const certificate = await readCertificate(dir);
  const tasks = await Promise.all(
    certificate.sets.map(async ({ segment, set, recall }) => ({
      dir: join(dir, segment, set),
      segment,
      set,
      byGraph: recall[0]?.measured.at(-1)?.by === "graph",
      also: recall.flatMap(({ measured }) => measured),
      rows: manifest.segments.find(({ name }) => name === segment)?.documentCount ?? 0,
      width: (await readVectorSetManifest(join(dir, segment, set))).width,
    })),
  );
  const measured = await measureAll(tasks, options);
  const shortfalls = certificate.sets.flatMap(({ segment, set, recall }, i) =>
    recall.flatMap(({ selectivity, measured: certified }, s) => {
      const before = certified.at(-1);
      const now = measured[i]!.recall[s]!.measured.find((step) => sameStep(step, before));
      if (before === undefined || now === undefined) return []; // not measured
      if (now.recall10 >= before.recall10 && now.recall100 >= before.recall100) return [];
      return [
        {
          segment,
          set,
          selectivity,
          recall10: { certified: before.recall10, measured: now.recall10 },
          recall100: { certified: before.recall100, measured: now.recall100 },
        },
      ];
    }),
  );
  return { certificate, shortfalls };
}

type CertifiedSet = Certificate["sets"][number];

type Measurable = Omit<MeasureTask, "least" | "share" | "asked"> & { readonly width: number | undefined };

const sizeOf = ({ rows, width }: Measurable) => ({ count: rows, width });

/** Milliseconds between two reports of progress. */
const REPORT_MS = 250;

/**
 * Measures sets, in shares where they are small. A share may end sooner than another; where the shares together do not decide,
 * those that ended are measured further.
 */
async function measureAll(
  tasks: readonly Measurable[],
  { threads = SEARCH_DEFAULTS.threads, onProgress, signal }: CertifyOptions,
): Promise<CertifiedSet[]> {
  const { large, shares } = SEARCH_DEFAULTS.certificate;
  const worthwhile = tasks.some(({ rows }) => rows >= SEARCH_DEFAULTS.embed.threadsFrom);
  const found = tasks.map(({ rows }) =>
    Array.from<ShareRecall | undefined>({ length: rows < large ? shares : 1 }),
  );
  const wanted = tasks.map(() => 1);
  const asked = new AskedQueries(tasks);
  const report = () => onProgress?.(asked.done, asked.total);
  if (tasks.length > 0) report();
  for (let complete = 0; complete < tasks.length; ) {
    const split = tasks.flatMap((task, t) =>
      found[t]!.flatMap((share, part) =>
        (share?.scans ?? 0) < wanted[t]!
          ? [{ ...task, t, least: wanted[t]!, share: { part, of: found[t]!.length }, asked: asked.of(t) }]
          : [],
      ),
    );
    const timer = setInterval(report, REPORT_MS);
    const run = { threads: worthwhile ? threads : 0, signal };
    const measured = await runTasks("measureSet", split, run).finally(() => clearInterval(timer));
    for (const [i, { t, share }] of split.entries()) found[t]![share.part] = measured[i]!;
    complete = 0;
    for (const [t, task] of tasks.entries()) {
      const ends = found[t]!.map((share) => share!.scans);
      const isDecided = isConclusive(
        combineShares(found[t]! as ShareRecall[]),
        sizeOf(task),
        Math.min(...ends),
      );
      if (isDecided) {
        complete += 1;
        asked.end(t);
      } else wanted[t] = Math.max(...ends, Math.min(...ends) + 1);
    }
    report();
  }
  return tasks.map(({ segment, set }, t) => ({
    segment,
    set,
    ...combineShares(found[t]! as ShareRecall[]),
  }));
}

function worst(selectivity: number, sets: readonly CertifiedSet[]): Certificate["overall"][number] {
  const planned = sets.map(({ recall }) => {
    const last = recall.find((entry) => entry.selectivity === selectivity)?.measured.at(-1);
    return last === undefined || !suffices(last) ? { recall10: 1, recall100: 1 } : last;
  });
  return {
    selectivity,
    recall10: Math.min(1, ...planned.map(({ recall10 }) => recall10)),
    recall100: Math.min(1, ...planned.map(({ recall100 }) => recall100)),
  };
}
