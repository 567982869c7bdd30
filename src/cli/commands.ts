import type { Command } from "commander";
import type { CliContext } from "./context.js";

/** Adds one command, with its options and examples, to the program. */
export type Register = (program: Command, context: CliContext) => void;

/** One command: its line in the help, and how to load its file. */
export interface CommandEntry {
  /** Name and arguments in commander's notation: `search <query>`. */
  readonly usage: string;
  /** Description; the same text as the command's own. */
  readonly summary: string;
  /** Loads the file of the command. */
  readonly load: () => Promise<Register>;
}

/**
 * Every command, in the order of the help. Each command is a file that exports `register<Command>(program, context)`. The file is
 * loaded when the command is called. Heavy modules (DuckDB, indexes, a server) are imported inside its action.
 */
export const COMMANDS: readonly CommandEntry[] = [
  {
    usage: "ingest [input...]",
    summary:
      "Turn downloaded files into slices: JSON lines, JSON, CSV, TSV, Parquet; plain, .gz, or in a .zip.",
    load: async () => (await import("./lake/ingest.js")).registerIngest,
  },
  {
    usage: "install [dir...]",
    summary:
      "Verify slices and install them into a lake; readers keep the old generation until the new one is published.",
    load: async () => (await import("./lake/install.js")).registerInstall,
  },
  {
    usage: "search <query>",
    summary: "Search social, e-commerce and web records.",
    load: async () => (await import("./query/search.js")).registerSearch,
  },
  {
    usage: "raw <platform> <resource>",
    summary: "Fetch a platform-native structure: a video, a page of comments, a price path.",
    load: async () => (await import("./query/raw.js")).registerRaw,
  },
  {
    usage: "slices",
    summary: "List the dataset slices of the lake: their manifests, filtered.",
    load: async () => (await import("./query/slices.js")).registerSlices,
  },
  {
    usage: "sql [query]",
    summary:
      "Query a lake with SQL: one SELECT in DuckDB's dialect, read-only, without access to files, extensions or settings.",
    load: async () => (await import("./query/sql.js")).registerSql,
  },
  {
    usage: "export",
    summary: "Write records into one file; it appears only when complete.",
    load: async () => (await import("./query/export.js")).registerExport,
  },
  {
    usage: "pii [dirs...]",
    summary:
      "Report likely e-mail addresses, phone numbers and handles in the text of slices, with masked examples.",
    load: async () => (await import("./lake/pii.js")).registerPii,
  },
  {
    usage: "describe [dirs...]",
    summary:
      "Describe slices as a dataset: croissant.json (MLCommons Croissant 1.1) and a dataset card, README.md.",
    load: async () => (await import("./lake/describe.js")).registerDescribe,
  },
  {
    usage: "remove [list...]",
    summary: "Remove records, raw items or authors from every answer of a lake, immediately and permanently.",
    load: async () => (await import("./lake/remove.js")).registerRemove,
  },
  {
    usage: "compact",
    summary:
      "Rewrite a lake without replaced and removed data: one segment, withheld slices replaced by revisions.",
    load: async () => (await import("./lake/compact.js")).registerCompact,
  },
  {
    usage: "retain",
    summary: "Remove data older than an age: whole slices, and the older items of the other slices.",
    load: async () => (await import("./lake/retain.js")).registerRetain,
  },
  {
    usage: "diff <before> <after>",
    summary: "Compare two slices, folders of slices, or lakes: records and raw items, field by field.",
    load: async () => (await import("./transfer/diff.js")).registerDiff,
  },
  {
    usage: "verify",
    summary: "Check a lake from end to end: files, record hashes, removals, index against records, recall.",
    load: async () => (await import("./lake/verify.js")).registerVerify,
  },
  {
    usage: "doctor",
    summary: "Find the problems of a lake in seconds, and name the command that repairs each.",
    load: async () => (await import("./lake/doctor.js")).registerDoctor,
  },
  {
    usage: "gc",
    summary: "Remove unused files: unreferenced slices, old generations, leftovers of killed processes.",
    load: async () => (await import("./lake/gc.js")).registerGc,
  },
  {
    usage: "serve",
    summary: "Serve a lake over HTTP like the remote service, with the files of its slices for `pull`.",
    load: async () => (await import("./serve.js")).registerServe,
  },
  {
    usage: "mcp",
    summary: "Serve a lake to an agent by the Model Context Protocol, over standard input and output.",
    load: async () => (await import("./mcp.js")).registerMcp,
  },
  {
    usage: "record",
    summary: "Record the calls of a program to a remote service into a cassette, as a proxy, until Ctrl-C.",
    load: async () => (await import("./record.js")).registerRecord,
  },
  {
    usage: "replay <cassette>",
    summary: "Answer recorded calls over HTTP, until Ctrl-C; a lake may answer what was not recorded.",
    load: async () => (await import("./replay.js")).registerReplay,
  },
  {
    usage: "publish <dir...>",
    summary: "Verify slices and publish them to a static folder that any file host can serve, for `pull`.",
    load: async () => (await import("./transfer/publish.js")).registerPublish,
  },
  {
    usage: "pull <source>",
    summary:
      "Fetch slices, verified and resumable, or a dataset of plain files with a mapping, and install them into a lake.",
    load: async () => (await import("./transfer/pull.js")).registerPull,
  },
  {
    usage: "sync",
    summary: "Make a lake hold exactly the slices that a lock file pins, or check that it does.",
    load: async () => (await import("./transfer/sync.js")).registerSync,
  },
  {
    usage: "catalogue",
    summary: "List the endpoints; check and import files that extend or replace them.",
    load: async () => (await import("./query/catalogue.js")).registerCatalogue,
  },
  {
    usage: "keys",
    summary: "Create, list and revoke the API keys of a lake's account.",
    load: async () => (await import("./account/keys.js")).registerKeys,
  },
  {
    usage: "account",
    summary: "Balance, free quota, usage and ledger of a lake's account.",
    load: async () => (await import("./account/account.js")).registerAccount,
  },
  {
    usage: "cluster",
    summary: "Make the tables of a lake on ClickHouse, on one server or many, and show their state.",
    load: async () => (await import("./cluster/cluster.js")).registerCluster,
  },
  {
    usage: "parity",
    summary: "Check every rule of the service specification through every transport, and print the score.",
    load: async () => (await import("./parity.js")).registerParity,
  },
  {
    usage: "eval <dirs...>",
    summary:
      "Measure search on judged collections, each alone or all in one mixed lake: nDCG@10, Recall@100, MRR@10 by kind of ranking.",
    load: async () => (await import("./query/eval.js")).registerEval,
  },
  {
    usage: "demo",
    summary: "Build a lake from the shipped data and query it, in under a minute.",
    load: async () => (await import("./demo.js")).registerDemo,
  },
  {
    usage: "completion <shell>",
    summary: "Print a script that completes commands, options and their values in a shell.",
    load: async () => (await import("./completion/completion.js")).registerCompletion,
  },
];
