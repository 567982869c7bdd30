import type { Session } from "./session.js";

const READ_CONNECTIONS = 4;

/** Sessions of a read-only database: made when they are needed, four at most, lent to one reader at a time. */
export class SessionPool {
  private readonly idle: Session[] = [];
  private readonly waiting: ((session: Session) => void)[] = [];
  private made = 0;

  constructor(private readonly connect: () => Promise<Session>) {}

  /** Works on a session of the pool, once there is one. */
  async use<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const session = await this.lease();
    try {
      return await work(session);
    } finally {
      const next = this.waiting.shift();
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
    return new Promise((resolve) => this.waiting.push(resolve));
  }
}
