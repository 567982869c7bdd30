import { EventLoopTurn } from "../../event-loop-turn.js";
import { ENGINE_DEFAULTS } from "../defaults.js";

/** The turn of the event loop in which results of engines become values of JS: one for all results, which may come at once. */
export const CONVERSION_TURN = new EventLoopTurn(ENGINE_DEFAULTS.turnMs);

/** Values that are converted before the turn may be over. */
export const TURN_ROWS = 64;

/** Converts values by their number, in turns. @param convert the n-th */
export async function convertInTurns<T>(length: number, convert: (n: number) => T): Promise<T[]> {
  const values = new Array<T>(length);
  for (let n = 0; n < length; n++) {
    if (n % TURN_ROWS === 0 && CONVERSION_TURN.isOver()) await CONVERSION_TURN.next();
    values[n] = convert(n);
  }
  return values;
}
