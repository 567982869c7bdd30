import { CallTrace } from "../endpoints/call-trace.js";
import type { Service } from "./pipeline.js";

/** Hears of the calls of a service. */
export interface CallObserver {
  /** A call begins. */
  begun(trace: CallTrace): void;
  /** A call ended with a status; with undefined if its caller went away. */
  ended(trace: CallTrace, status: number | undefined): void;
}

/** The service, with an observer of its calls. */
export function observeCalls(service: Service, observer: CallObserver): Service {
  return {
    get catalogue() {
      return service.catalogue;
    },
    async call(request) {
      const trace = request.trace ?? new CallTrace();
      observer.begun(trace);
      let status: number | undefined;
      try {
        const response = await service.call(request.trace === undefined ? { ...request, trace } : request);
        status = response.status;
        return response;
      } finally {
        observer.ended(trace, status);
      }
    },
  };
}
