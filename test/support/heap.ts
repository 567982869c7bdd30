/**
 * How V8 collects garbage in test processes. All cores have tests to run: threads that help V8 only take turns with them, and that
 * costs an eighth. The loaded sources are 50 MB that live on, and V8 looks through them after every 10 MB of new ones: it waits for
 * 256 MB in all, and lets short-lived values die in 16 MB from the start.
 */
export const HEAP = ["--single-threaded-gc", "--initial-old-space-size=256", "--min-semi-space-size=16"];
