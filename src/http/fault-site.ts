import { Hono } from "hono";
import { UsageError } from "../contract/errors.js";
import type { FaultInjector } from "../faults/fault-injector.js";
import type { FaultPlanInput } from "../faults/fault-plan.js";
import { apiKeyFrom } from "../service/api-key-header.js";

/** Where the faults of a server are read and changed. */
export const FAULTS_PATH = "/_mirrorlake/faults";

/**
 * The routes that control faults over HTTP, to be given to `startServer` as `site`: `GET` shows the plan and what happened, `PUT`
 * replaces the plan, `DELETE` removes it. Off unless asked for, since who may change faults can stop the service.
 * @param permits whether a key may; without one it is asked for `undefined`
 */
export function createFaultSite(
  faults: FaultInjector,
  permits: (apiKey: string | undefined) => Promise<boolean>,
): Hono {
  const site = new Hono();
  site.use(FAULTS_PATH, async (context, next) => {
    const { req } = context;
    const apiKey = apiKeyFrom(req.header("authorization"), req.header("x-api-key"));
    return (await permits(apiKey)) ? next() : context.json({ detail: "Invalid API key" }, 401);
  });
  const state = () => ({ faults: faults.faults, applied: faults.applied });
  site.get(FAULTS_PATH, (context) => context.json(state()));
  site.put(FAULTS_PATH, async (context) => {
    try {
      faults.set((await context.req.json()) as FaultPlanInput);
    } catch (error) {
      if (error instanceof UsageError || error instanceof SyntaxError)
        return context.json({ detail: error.message }, 400);
      throw error;
    }
    return context.json(state());
  });
  site.delete(FAULTS_PATH, (context) => {
    faults.clear();
    return context.json(state());
  });
  return site;
}
