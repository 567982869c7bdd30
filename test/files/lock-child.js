// Holds a lock in a process of its own until it is killed: node lock-child.js <file> <exclusive|shared>
// Prints "held" once it has it, or "refused". With "thread" it takes the lock in a worker thread.
import { writeSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

const [module, path, mode, where] = isMainThread ? process.argv.slice(2) : workerData;
if (isMainThread && where === "thread") {
  new Worker(new URL(import.meta.url), { workerData: [module, path, mode] }).once("message", (said) =>
    writeSync(1, `${said}\n`),
  );
} else {
  const { tryLock } = await import(pathToFileURL(module).href);
  globalThis.lock = await tryLock(path, mode);
  const said = globalThis.lock === undefined ? "refused" : "held";
  if (parentPort) parentPort.postMessage(said);
  else writeSync(1, `${said}\n`);
  setInterval(() => {}, 1000);
}
