/** A function of the program that is called with an event. What it returns is not used, unless it is a promise that rejects. */
export type Hook<Told extends unknown[]> = (...told: Told) => unknown;

/**
 * Guards a hook, so that its failure does not change the event: the guarded one never throws.
 * @param name name of the hook, for the warning
 * @param hook undefined stays undefined
 * @param failed gets what the hook throws, or rejects with; by default it is a warning of the process, with the code `hook_failed`
 */
export function guardHook<Told extends unknown[]>(
  name: string,
  hook: Hook<Told> | undefined,
  failed: (error: unknown) => void = (error) => warn(name, error),
): ((...told: Told) => void) | undefined {
  if (hook === undefined) return undefined;
  return (...told) => {
    try {
      Promise.resolve(hook(...told)).catch(failed);
    } catch (error) {
      failed(error);
    }
  };
}

function warn(name: string, error: unknown): void {
  const isError = error instanceof Error;
  process.emitWarning(`${name} failed: ${isError ? error.message : typeof error}`, {
    type: "MirrorlakeWarning",
    code: "hook_failed",
    detail: isError ? error.stack : undefined,
  });
}
