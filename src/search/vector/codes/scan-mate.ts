import type { MessagePort } from "node:worker_threads";
import { helpLoading, type LoadTask } from "../help-loading.js";
import { type ScanPlaces, SharedSums } from "./shared-sums.js";

/** Message to a thread that helps: a scan to join, or one that has something to do; a set to load pieces of. */
type MateMessage =
  | { readonly join: number; readonly memory: WebAssembly.Memory; readonly places: ScanPlaces }
  | { readonly help: number }
  | { readonly load: LoadTask };

/** Another thread, which helps to load and to scan the sets of this one, as this one helps with its sets. */
export class ScanMate {
  private joined = 0;

  /** @param port the way to it, of this side alone */
  constructor(private readonly port: MessagePort) {
    const scans = new Map<number, SharedSums>();
    port.on("message", (message: MateMessage) => {
      if ("help" in message) scans.get(message.help)?.help();
      else if ("load" in message) void helpLoading(message.load);
      else void SharedSums.join(message.memory, message.places).then((scan) => scans.set(message.join, scan));
    });
  }

  /** Asks it to join a scan; returns what calls it when there is something to do. */
  join(memory: WebAssembly.Memory, places: ScanPlaces): () => void {
    const scan = this.joined++;
    this.send({ join: scan, memory, places });
    return () => this.send({ help: scan });
  }

  /** Asks it to load pieces of a set. */
  load(task: LoadTask): void {
    this.send({ load: task });
  }

  private send(message: MateMessage): void {
    this.port.postMessage(message);
  }
}
