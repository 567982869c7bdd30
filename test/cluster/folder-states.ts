import { cp } from "node:fs/promises";
import { join } from "node:path";

/** What {@link FolderStates} asks of a test. */
export interface FolderSteps<Step, State> {
  /** Folder that has room for lakes. */
  dir(): string;
  /** Does a step in the lake at a path. */
  take(step: Step, lake: string): Promise<unknown>;
  /** Opens the lake at a path, and reads what is compared. */
  stateOf(lake: string): Promise<State>;
}

/**
 * Lakes in a folder, one for each order of steps that tests ask for. Orders that begin alike share what they begin with: each step
 * after it is done on a copy. Each state is read once, and only where it is asked for.
 */
export class FolderStates<Step, State> {
  private readonly lakes = new Map<string, Promise<string>>();
  private readonly states = new Map<string, Promise<State>>();
  private made = 0;

  constructor(private readonly of: FolderSteps<Step, State>) {}

  /** The state after these steps. */
  after(steps: readonly Step[]): Promise<State> {
    const name = JSON.stringify(steps);
    const known = this.states.get(name) ?? this.lakeAfter(steps).then((lake) => this.of.stateOf(lake));
    this.states.set(name, known);
    return known;
  }

  /** A lake after these steps, which no one changes: its path. */
  private lakeAfter(steps: readonly Step[]): Promise<string> {
    const name = JSON.stringify(steps);
    const known = this.lakes.get(name) ?? this.make(steps);
    this.lakes.set(name, known);
    return known;
  }

  private async make(steps: readonly Step[]): Promise<string> {
    const lake = join(this.of.dir(), `lake-${this.made++}`);
    const before = steps.slice(0, -1);
    if (before.length > 0) await cp(await this.lakeAfter(before), lake, { recursive: true });
    await this.of.take(steps.at(-1)!, lake);
    return lake;
  }
}
