import type { Command } from "commander";
import { registerAccount } from "./account/account.js";
import { registerKeys } from "./account/keys.js";
import type { CliContext } from "./context.js";
import { registerDemo } from "./demo.js";
import { registerCompact } from "./lake/compact.js";
import { registerDescribe } from "./lake/describe.js";
import { registerDoctor } from "./lake/doctor.js";
import { registerGc } from "./lake/gc.js";
import { registerIngest } from "./lake/ingest.js";
import { registerInstall } from "./lake/install.js";
import { registerPii } from "./lake/pii.js";
import { registerRemove } from "./lake/remove.js";
import { registerRetain } from "./lake/retain.js";
import { registerVerify } from "./lake/verify.js";
import { registerParity } from "./parity.js";
import { registerCatalogue } from "./query/catalogue.js";
import { registerEval } from "./query/eval.js";
import { registerExport } from "./query/export.js";
import { registerRaw } from "./query/raw.js";
import { registerSearch } from "./query/search.js";
import { registerSlices } from "./query/slices.js";
import { registerSql } from "./query/sql.js";
import { registerServe } from "./serve.js";
import { registerDiff } from "./transfer/diff.js";
import { registerPublish } from "./transfer/publish.js";
import { registerPull } from "./transfer/pull.js";
import { registerSync } from "./transfer/sync.js";

/**
 * Every command, in the order of the help. A command is a file `src/cli/<command>.ts` that exports
 * `register<Command>(program, context)`; it imports what is heavy (DuckDB, indexes, a server) inside its action, so
 * that `--help` stays instant, throws its errors (see report-error.ts) and hands `context.signal` to long work.
 */
export const REGISTER: readonly ((program: Command, context: CliContext) => void)[] = [
  registerIngest,
  registerInstall,
  registerSearch,
  registerRaw,
  registerSlices,
  registerSql,
  registerExport,
  registerPii,
  registerDescribe,
  registerRemove,
  registerCompact,
  registerRetain,
  registerDiff,
  registerVerify,
  registerDoctor,
  registerGc,
  registerServe,
  registerPublish,
  registerPull,
  registerSync,
  registerCatalogue,
  registerKeys,
  registerAccount,
  registerParity,
  registerEval,
  registerDemo,
];
