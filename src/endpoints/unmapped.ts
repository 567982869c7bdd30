import type { Handler } from "./handler.js";

/**
 * An endpoint that is known to exist (from an imported document) and that no local data answers yet: always empty, and a
 * header says why.
 */
export const unmapped: Handler = async () => ({
  data: null,
  empty: true,
  headers: {
    "X-Mirrorlake-Note": "This endpoint has no local operation; give its row one in a catalogue file.",
  },
});
