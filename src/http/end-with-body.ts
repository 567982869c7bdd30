/**
 * A response whose connection ends where its body fails half-way, so that what came is not taken for all of it, nor what went wrong for a
 * part of it. `onError` is called with the failure; a client that goes away is none.
 */
export function endWithBody(
  response: Response,
  outgoing: { readonly destroyed: boolean; destroy(): unknown },
  onError: ((error: unknown) => void) | undefined,
): Response {
  if (response.body === null) return response;
  const reader = response.body.getReader();
  let isWanted = true;
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        const { value, done } = await reader.read();
        if (!isWanted) return; // cancelled meanwhile, which closed it
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        // What made the body was told to end, since its client has gone.
        if (!isWanted || outgoing.destroyed) return;
        onError?.(error);
        outgoing.destroy();
        controller.close();
      }
    },
    cancel: (reason) => {
      isWanted = false;
      return reader.cancel(reason);
    },
  });
  return new Response(body, response);
}
