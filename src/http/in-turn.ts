import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Answers a request of a connection. */
export type RequestListener = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

type Exchange = readonly [incoming: IncomingMessage, outgoing: ServerResponse];

/**
 * Wraps a listener so that the requests of a connection are answered one after the other (RFC 9112 section 9.3.2,
 * pipelining). A request begins when the answer before it has been handed to the system or its connection has closed.
 * Meanwhile the connection is not read, so at most the requests of one read wait, and they hold no files and no answers.
 * A request whose connection has closed is never begun.
 */
export function inTurn(listener: RequestListener): RequestListener {
  const lines = new WeakMap<Socket, Line>();
  return (incoming, outgoing) => {
    const { socket } = incoming;
    let line = lines.get(socket);
    if (line === undefined) {
      line = new Line(socket, listener);
      lines.set(socket, line);
    }
    line.add([incoming, outgoing]);
  };
}

/** The requests of one connection. */
class Line {
  private readonly waiting: Exchange[] = [];
  private busy = false;

  constructor(
    private readonly socket: Socket,
    private readonly listener: RequestListener,
  ) {
    // Reading a request's body resumes the connection, also when all of that body is here already.
    socket.on("resume", () => {
      if (this.waiting.length > 0) socket.pause();
    });
  }

  add(exchange: Exchange): void {
    if (!this.busy) {
      this.begin(exchange);
      return;
    }
    this.waiting.push(exchange);
    this.socket.pause();
  }

  private begin([incoming, outgoing]: Exchange): void {
    this.busy = true;
    outgoing.once("close", () => this.next());
    this.listener(incoming, outgoing);
  }

  private next(): void {
    this.busy = false;
    // The last answer of a connection ends it before what came after that request is answered.
    if (this.socket.destroyed || this.socket.writableEnded) {
      this.waiting.length = 0;
      return;
    }
    const exchange = this.waiting.shift();
    if (this.waiting.length === 0) this.socket.resume();
    if (exchange !== undefined) this.begin(exchange);
  }
}
