import type { Command } from "commander";
import { registerAccount } from "./account.js";
import { registerCatalogue } from "./catalogue.js";
import { registerCompact } from "./compact.js";
import type { CliContext } from "./context.js";
import { registerDemo } from "./demo.js";
import { registerDescribe } from "./describe.js";
import { registerDiff } from "./diff.js";
import { registerDoctor } from "./doctor.js";
import { registerEval } from "./eval.js";
import { registerExport } from "./export.js";
import { registerGc } from "./gc.js";
import { registerIngest } from "./ingest.js";
import { registerInstall } from "./install.js";
import { registerKeys } from "./keys.js";
import { registerParity } from "./parity.js";
import { registerPii } from "./pii.js";
import { registerPublish } from "./publish.js";
import { registerPull } from "./pull.js";
import { registerRaw } from "./raw.js";
import { registerRemove } from "./remove.js";
import { registerRetain } from "./retain.js";
import { registerSearch } from "./search.js";
import { registerServe } from "./serve.js";
import { registerSlices } from "./slices.js";
import { registerSql } from "./sql.js";
import { registerSync } from "./sync.js";
import { registerVerify } from "./verify.js";

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
