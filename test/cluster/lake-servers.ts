import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";

const CHILD = fileURLToPath(new URL("./lake-server.js", import.meta.url));

/** Something that can be asked of a server. */
export type Question =
  | { readonly path: string; readonly params: Readonly<Record<string, string | number>> }
  | { readonly sql: string };

/** What a server answered, as text, and when it was asked. */
export interface Told {
  readonly text: string;
  /** Of `performance.now()`. */
  readonly askedAt: number;
  readonly answeredAt: number;
}

interface Message {
  readonly id?: number;
  readonly url?: string;
  readonly rows?: unknown;
  readonly error?: string;
}

/** A server of a lake in a process of its own: `/v1` over HTTP, and SQL in the same process. */
export class LakeServer {
  private readonly waiting = new Map<number, (message: Message) => void>();
  private asked = 0;

  private constructor(
    private readonly child: ChildProcess,
    private readonly url: string,
    private readonly apiKey: string,
  ) {
    child.on("message", (message: Message) => {
      this.waiting.get(message.id!)?.(message);
      this.waiting.delete(message.id!);
    });
  }

  /** Starts one. @throws Error if it ends before it listens */
  static start(lake: string, account: string, apiKey: string): Promise<LakeServer> {
    const child = fork(CHILD, [lake, account], { serialization: "advanced" });
    return new Promise((resolve, reject) => {
      child.once("message", ({ url }: Message) => resolve(new LakeServer(child, url!, apiKey)));
      child.once("exit", (code, signal) => reject(new Error(`A server ended with ${code ?? signal}`)));
    });
  }

  /** Asks it. @throws Error for anything but an answer, or a 404 */
  async ask(question: Question): Promise<Told> {
    const askedAt = performance.now();
    const text = "sql" in question ? await this.query(question.sql) : await this.get(question);
    return { text, askedAt, answeredAt: performance.now() };
  }

  /** Kills it. */
  remove(): void {
    this.child.kill("SIGKILL");
  }

  private async get({ path, params }: Extract<Question, { path: string }>): Promise<string> {
    const isSearch = path === "/v1/search";
    const query = new URLSearchParams(
      Object.entries(params).map(([key, value]): [string, string] => [key, String(value)]),
    );
    const response = await fetch(`${this.url}${path}${isSearch ? "" : `?${query}`}`, {
      method: isSearch ? "POST" : "GET",
      headers: { Authorization: `Bearer ${this.apiKey}`, "Content-Type": "application/json" },
      ...(isSearch ? { body: JSON.stringify(params) } : {}),
    });
    const text = await response.text();
    if (response.status !== 200 && response.status !== 404) throw new Error(`${response.status} ${text}`);
    return text;
  }

  private async query(text: string): Promise<string> {
    const id = this.asked++;
    const { rows, error } = await new Promise<Message>((resolve) => {
      this.waiting.set(id, resolve);
      this.child.send({ id, text });
    });
    if (error !== undefined) throw new Error(`${error}: ${text}`);
    return JSON.stringify(rows);
  }
}
