import type { MessagePort } from "node:worker_threads";
import { type ScanPlaces, SharedSums } from "./shared-sums.js";

/** Message to a thread that helps: a scan to join, or one that has something to do. */
type MateMessage =
  | { readonly join: number; readonly memory: WebAssembly.Memory; readonly places: ScanPlaces }
  | { readonly help: number };

/** Another thread, which helps with the scans of this one, as this one helps with its scans. */
export class ScanMate {
  private joined = 0;

  /** @param port the way to it, of this side alone */
  constructor(private readonly port: MessagePort) {
    const scans = new Map<number, SharedSums>();
    port.on("message", (message: MateMessage) => {
      if ("help" in message) scans.get(message.help)?.help();
      else void SharedSums.join(message.memory, message.places).then((scan) => scans.set(message.join, scan));
    });
  }

  /** Asks it to join a scan; returns what calls it when there is something to do. */
  join(memory: WebAssembly.Memory, places: ScanPlaces): () => void {
    const scan = this.joined++;
    this.send({ join: scan, memory, places });
    return () => this.send({ help: scan });
  }

  private send(message: MateMessage): void {
    this.port.postMessage(message);
  }
}
