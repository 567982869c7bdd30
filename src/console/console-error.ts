import { ApiError, MirrorlakeError } from "../contract/errors.js";

/** Why a request of the console is refused; its answer is `{ error: { code, message, remedy } }`. */
export class ConsoleError extends Error {
  override readonly name = "ConsoleError";

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly remedy = "",
  ) {
    super(message);
  }
}

/** The answer of a failed request. An unexpected error says nothing of itself; `report` gets it. */
export function errorResponse(error: unknown, report: (error: unknown) => void): Response {
  const known = knownError(error);
  if (known === undefined) report(error);
  const { status, code, message, remedy } = known ?? UNEXPECTED;
  return Response.json({ error: { code, message, remedy } }, { status });
}

const UNEXPECTED = new ConsoleError(
  500,
  "internal_error",
  "The server failed unexpectedly",
  "The terminal of the server says more.",
);

function knownError(
  error: unknown,
): Pick<ConsoleError, "status" | "code" | "message" | "remedy"> | undefined {
  if (error instanceof ConsoleError) return error;
  if (error instanceof ApiError) return error;
  if (error instanceof MirrorlakeError) {
    const { code, message, remedy } = error;
    return { status: 400, code, message, remedy };
  }
  return undefined;
}
