/** A server of one request. */
interface RequestServer {
  close(): Promise<void>;
}

/** A request as its client names it. Ids repeat between sessions: clients count from zero. */
export interface RequestName {
  /** The key that it came with. */
  readonly keyId: string;
  /** The session that the client was given. */
  readonly session: string;
  readonly id: string | number;
}

/** Servers of the requests that run, so that a later request can cancel one. */
export class RunningRequests {
  private readonly servers = new Map<string, RequestServer>();

  /** Keeps the server of a request. @returns what forgets it, to be called when the request ends */
  begin(name: RequestName, server: RequestServer): () => void {
    const text = textOf(name);
    this.servers.set(text, server);
    return () => {
      if (this.servers.get(text) === server) this.servers.delete(text);
    };
  }

  /** Ends a request without an answer. One that is unknown or has ended is left alone, as the protocol wants it. */
  async cancel(name: RequestName): Promise<void> {
    await this.servers.get(textOf(name))?.close();
  }
}

function textOf({ keyId, session, id }: RequestName): string {
  return JSON.stringify([keyId, session, id]);
}
