/**
 * A response whose connection ends where its body fails half-way, so that what came is not taken for all of it, nor what went wrong for a
 * part of it. `onError` is called with the failure.
 */
export function endWithBody(
  response: Response,
  outgoing: { destroy(): unknown },
  onError: ((error: unknown) => void) | undefined,
): Response {
  if (response.body === null) return response;
  const reader = response.body.getReader();
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        const { value, done } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        onError?.(error);
        outgoing.destroy();
        controller.close();
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return new Response(body, response);
}
