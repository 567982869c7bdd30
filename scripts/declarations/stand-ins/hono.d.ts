/** An application of Hono, by what tells it from anything else. */
export interface Hono {
  readonly routes: readonly { readonly path: string; readonly method: string }[];
  fetch(request: Request, ...rest: never[]): Response | Promise<Response>;
}
