import type { Handler } from "./handler.js";

/**
 * Answers an endpoint of an imported document that has no local operation yet: always empty, with a header that says
 * why.
 */
export const unmapped: Handler = async () => ({
  data: null,
  empty: true,
  headers: {
    "X-Mirrorlake-Note": "This endpoint has no local operation; give its row one in a catalogue file.",
  },
});
