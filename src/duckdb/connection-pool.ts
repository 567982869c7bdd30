import type { Session } from "./session.js";

const READ_CONNECTIONS = 4;

/** Pool of at most four sessions of a read-only database, opened on demand. A session has one lease at a time; the queue is FIFO. */
export class SessionPool {
  private readonly idle: Session[] = [];
  private readonly queue: ((session: Session) => void)[] = [];
  private made = 0;

  constructor(private readonly connect: () => Promise<Session>) {}

  /** Runs `work` with a leased session. */
  async use<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const session = await this.lease();
    try {
      return await work(session);
    } finally {
      const next = this.queue.shift();
      if (next) next(session);
      else this.idle.push(session);
    }
  }

  private async lease(): Promise<Session> {
    const idle = this.idle.pop();
    if (idle) return idle;
    if (this.made < READ_CONNECTIONS) {
      this.made++;
      try {
        return await this.connect();
      } catch (error) {
        this.made--;
        throw error;
      }
    }
    return new Promise((resolve) => this.queue.push(resolve));
  }
}
