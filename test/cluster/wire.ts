import { once } from "node:events";
import { createServer, connect as dial, type Server, type Socket } from "node:net";

/** A way to a port of this machine, which can be cut: connections are refused, or nothing comes through any more. */
export class Wire {
  private readonly pairs = new Set<readonly [Socket, Socket]>();
  /** Connections that were made in silence: the target knows nothing of them. */
  private readonly waiting = new Set<Socket>();
  private server: Server | undefined;
  private isSilent = false;
  private trap: { left: number; readonly act: () => void } | undefined;
  /** Pieces that came from the port so far, and their bytes. */
  pieces = 0;
  bytes = 0;

  private constructor(
    private readonly target: number,
    /** Port that leads to the target. */
    readonly port: number,
  ) {}

  /** Lays a wire to a port. @param port of the wire; any that is free if it is not given */
  static async to(target: number, port = 0): Promise<Wire> {
    const server = createServer().listen(port, "127.0.0.1");
    await once(server, "listening");
    const wire = new Wire(target, (server.address() as { port: number }).port);
    wire.serve(server);
    return wire;
  }

  /** Does something when so many further pieces came from the port; once. */
  after(pieces: number, act: () => void): void {
    this.trap = { left: pieces, act };
  }

  /** Forgets what {@link Wire.after} was told; whether it was still to be done. */
  disarm(): boolean {
    const wasSet = this.trap !== undefined;
    this.trap = undefined;
    return wasSet;
  }

  /** Ends all connections and refuses new ones. */
  refuse(): void {
    this.server?.close();
    this.server = undefined;
    this.cut();
  }

  /** Lets nothing through: connections stay, or seem to be made, and no byte arrives. */
  hush(): void {
    this.isSilent = true;
    for (const pair of this.pairs) for (const socket of pair) socket.pause();
  }

  /** Repairs it. What waited in connections that are still there arrives. */
  async repair(): Promise<void> {
    this.isSilent = false;
    for (const pair of this.pairs) for (const socket of pair) socket.resume();
    for (const from of this.waiting) this.join(from);
    this.waiting.clear();
    if (this.server !== undefined) return;
    const server = createServer().listen(this.port, "127.0.0.1");
    await once(server, "listening");
    this.serve(server);
  }

  /** Takes it away. */
  remove(): void {
    this.refuse();
  }

  private serve(server: Server): void {
    this.server = server;
    server.on("connection", (from) => {
      if (!this.isSilent) return this.join(from);
      // A network that lets nothing through does not let it be made either: the target would hear of it, and wait for a greeting.
      this.waiting.add(from.pause());
      from.on("error", () => {}); // an end like any other
      from.on("close", () => this.waiting.delete(from));
    });
  }

  /** Joins a connection to the wire with one to the target. */
  private join(from: Socket): void {
    const to = dial(this.target, "127.0.0.1");
    const pair = [from, to] as const;
    this.pairs.add(pair);
    from.on("data", (data) => to.write(data));
    to.on("data", (data) => {
      this.bytes += data.length;
      this.count();
      from.write(data);
    });
    for (const [socket, other] of [pair, [to, from] as const]) {
      socket.setNoDelay(true);
      socket.on("error", () => {}); // an end like any other
      socket.on("close", () => {
        this.pairs.delete(pair);
        other.destroy();
      });
    }
    from.resume();
  }

  private count(): void {
    this.pieces += 1;
    const { trap } = this;
    if (trap === undefined) return;
    trap.left -= 1;
    if (trap.left > 0) return;
    this.trap = undefined;
    trap.act();
  }

  private cut(): void {
    for (const from of this.waiting) from.resetAndDestroy();
    for (const [from, to] of this.pairs) {
      from.resetAndDestroy();
      to.destroy();
    }
  }
}
